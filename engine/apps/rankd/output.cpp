#include "apps/rankd/output.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "base/format.h"

namespace millrace::rankd {

Output::Output(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)) {}

bool Output::write(std::string_view text) {
  while (status_ && !text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      pollfd wanted{.fd = descriptor_, .events = POLLOUT, .revents = 0};
      static_cast<void>(poll(&wanted, 1, -1));
    } else if (errno != EINTR) {
      status_ = base::fail(
          base::ErrorCode::kUnavailable,
          base::format("Cannot write to {}: {}", name_, std::generic_category().message(errno)));
    }
  }
  return status_.has_value();
}

}  // namespace millrace::rankd
