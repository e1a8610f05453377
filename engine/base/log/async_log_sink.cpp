#include "base/log/async_log_sink.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <string>
#include <utility>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log/log_record.h"
#include "base/log/log_sink.h"
#include "base/sync/mutex.h"

namespace millrace::base {
namespace {

// A pipe that says it can be written to takes this much without blocking (PIPE_BUF of Linux).
constexpr std::size_t kPieceBytesMax = 4096;
// Files take any piece; this bounds the time until the thread looks whether it must end.
constexpr std::size_t kFilePieceBytesMax = 262'144;
constexpr std::chrono::milliseconds kPollPeriod(50);
constexpr std::chrono::milliseconds kGatherTime(10);

bool is_regular_file(int descriptor) {
  struct stat facts{};
  return fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
}

}  // namespace

AsyncLogSink::AsyncLogSink(AsyncLogOptions options)
    : options_(options),
      is_file_(is_regular_file(options.descriptor)),
      thread_([this] { run(); }) {}

AsyncLogSink::~AsyncLogSink() {
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
  }
  must_end_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
  thread_.join();
}

void AsyncLogSink::write(const LogRecord& record) {
  std::string line = options_.format == LogFormat::kJson ? to_json(record) : to_text(record);
  line += '\n';
  bool wakes = false;
  {
    const MutexLock lock(mutex_);
    if (line_count_ >= options_.lines_max) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    lines_ += line;
    ++line_count_;
    const bool is_urgent = record.level >= LogLevel::kWarning;
    wakes = line_count_ == 1 || line_count_ == options_.lines_max / 2 || is_urgent;
    is_urgent_ |= is_urgent;
  }
  if (wakes) changed_.notify_all();
}

bool AsyncLogSink::take(std::string& text) {
  text.clear();
  const MutexLock lock(mutex_);
  is_writing_ = false;
  if (line_count_ == 0) changed_.notify_all();
  while (line_count_ == 0 && !is_ending_) changed_.wait(mutex_);
  const TimePoint end = steady_clock().now() + kGatherTime;
  while (!is_ending_ && !is_urgent_ && line_count_ < options_.lines_max / 2) {
    if (changed_.wait_until(mutex_, end) == std::cv_status::timeout) break;
  }
  is_writing_ = true;
  is_urgent_ = false;
  std::swap(text, lines_);
  line_count_ = 0;
  return !text.empty();
}

void AsyncLogSink::flush() {
  const TimePoint end = steady_clock().now() + options_.patience;
  const MutexLock lock(mutex_);
  is_urgent_ = true;
  changed_.notify_all();
  while (line_count_ != 0 || is_writing_) {
    if (changed_.wait_until(mutex_, end) == std::cv_status::timeout) return;
  }
}

void AsyncLogSink::run() {
  std::string text;
  while (take(text)) {
    if (write_all(text)) continue;
    // Nobody reads any more. Lines are still taken, so that those who log notice nothing.
    const auto lost = static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
    dropped_.fetch_add(lost, std::memory_order_relaxed);
  }
}

bool AsyncLogSink::write_all(const std::string& text) {
  std::size_t written = 0;
  auto patience = options_.patience;
  while (written < text.size()) {
    pollfd waited{.fd = options_.descriptor, .events = POLLOUT, .revents = 0};
    const int ready = is_file_ ? 1 : poll(&waited, 1, static_cast<int>(kPollPeriod.count()));
    if (ready <= 0) {
      if (!must_end_.load(std::memory_order_relaxed)) continue;
      patience -= kPollPeriod;
      if (patience <= Duration(0)) return false;
      continue;
    }
    const std::size_t piece =
        std::min(text.size() - written, is_file_ ? kFilePieceBytesMax : kPieceBytesMax);
    const ssize_t count = ::write(options_.descriptor, text.data() + written, piece);
    if (count < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (count > 0) written += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace millrace::base
