#include "apps/topoexec/input_lines.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"

namespace millrace::topoexec {
namespace {

constexpr std::size_t kLineMax = std::size_t{1} << 20U;
constexpr std::size_t kReadBytes = 64 * 1024;

}  // namespace

InputLines::InputLines(int descriptor)
    : descriptor_(descriptor), closed_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  MR_CHECK(closed_ >= 0);
}

InputLines::~InputLines() { ::close(closed_); }

void InputLines::close() noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(::write(closed_, &one, sizeof one));
}

std::optional<std::string> InputLines::next() {
  while (true) {
    if (auto line = take_line()) return line;
    if (has_ended_ || !fill()) break;
  }
  if (buffer_.empty()) return std::nullopt;
  std::string rest;
  rest.swap(buffer_);
  searched_ = 0;
  return rest;
}

std::optional<std::string> InputLines::take_line() {
  const std::size_t end = buffer_.find('\n', searched_);
  const bool is_too_long = end == std::string::npos && buffer_.size() >= kLineMax;
  if (end == std::string::npos && !is_too_long) {
    searched_ = buffer_.size();
    return std::nullopt;
  }
  const std::size_t length = is_too_long ? kLineMax : end;
  std::string line = buffer_.substr(0, length);
  buffer_.erase(0, is_too_long ? length : length + 1);
  searched_ = 0;
  return line;
}

bool InputLines::fill() {
  std::array<pollfd, 2> waits{{{.fd = descriptor_, .events = POLLIN, .revents = 0},
                               {.fd = closed_, .events = POLLIN, .revents = 0}}};
  while (poll(waits.data(), waits.size(), -1) < 0) {
    if (errno != EINTR) return false;
  }
  if (waits[1].revents != 0) {
    buffer_.clear();
    return false;
  }
  std::array<char, kReadBytes> bytes;
  const ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
  if (count > 0) {
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
  has_ended_ = count == 0 || (errno != EINTR && errno != EAGAIN);
  return !has_ended_;
}

}  // namespace millrace::topoexec
