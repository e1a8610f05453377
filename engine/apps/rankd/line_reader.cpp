#include "apps/rankd/line_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "base/format.h"

namespace millrace::rankd {

LineReader::LineReader(int descriptor,
                       std::string name,
                       const StopFlag& stop,
                       std::size_t line_bytes_max)
    : descriptor_(descriptor),
      name_(std::move(name)),
      stop_(stop),
      line_bytes_max_(line_bytes_max),
      buffer_(kBufferBytes) {}

base::Result<LineReader::Got> LineReader::next(std::string& line) {
  line.clear();
  bool has_begun = false;
  while (true) {
    if (stop_.is_raised()) return Got::kStopped;
    if (unread_.empty()) {
      MR_TRY(const Got got, fill());
      if (got == Got::kEnd && has_begun) return Got::kLine;
      if (got != Got::kLine) return got;
    }
    has_begun = true;
    const std::size_t end = unread_.find('\n');
    append(line, unread_.substr(0, end));
    if (end != std::string_view::npos) {
      unread_.remove_prefix(end + 1);
      return Got::kLine;
    }
    unread_ = {};
  }
}

base::Result<LineReader::Got> LineReader::fill() {
  while (true) {
    std::array<pollfd, 2> wanted{pollfd{.fd = descriptor_, .events = POLLIN, .revents = 0},
                                 pollfd{.fd = stop_.descriptor(), .events = POLLIN, .revents = 0}};
    if (poll(wanted.data(), wanted.size(), -1) < 0 && errno != EINTR) break;
    if (stop_.is_raised()) return Got::kStopped;
    if (wanted[0].revents == 0) continue;
    const ssize_t count = ::read(descriptor_, buffer_.data(), buffer_.size());
    if (count > 0) {
      unread_ = {buffer_.data(), static_cast<std::size_t>(count)};
      return Got::kLine;
    }
    if (count == 0) return Got::kEnd;
    if (errno != EINTR && errno != EAGAIN) break;
  }
  return base::fail(
      base::ErrorCode::kUnavailable,
      base::format("Cannot read {}: {}", name_, std::generic_category().message(errno)));
}

void LineReader::append(std::string& line, std::string_view part) const {
  const std::size_t room = line_bytes_max_ + 1 - std::min(line.size(), line_bytes_max_ + 1);
  line.append(part.substr(0, room));
}

}  // namespace millrace::rankd
