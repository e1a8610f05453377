#include "base/sync/futex.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"

namespace millrace::base {
namespace {

timespec to_timespec(base::TimePoint time) noexcept {
  const auto since_origin = std::max(time.time_since_epoch(), base::Duration::zero());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_origin);
  return {.tv_sec = static_cast<time_t>(seconds.count()),
          .tv_nsec = static_cast<long>((since_origin - seconds).count())};
}

}  // namespace

bool LinuxFutex::wait(const std::atomic<std::uint32_t>& word,
                      std::uint32_t expected,
                      std::optional<base::TimePoint> deadline) noexcept {
  // The bitset form takes an absolute time of CLOCK_MONOTONIC, which is what steady_clock reads: a
  // wait that starts over after a signal does not get longer.
  timespec until{};
  if (deadline) until = to_timespec(*deadline);
  const long result = syscall(SYS_futex,
                              &word,
                              FUTEX_WAIT_BITSET_PRIVATE,
                              expected,
                              deadline ? &until : nullptr,
                              nullptr,
                              FUTEX_BITSET_MATCH_ANY);
  if (result == 0) return true;
  const int error = errno;
  if (error == ETIMEDOUT) return false;
  MR_CHECK(error == EAGAIN || error == EINTR, error);
  return true;
}

void LinuxFutex::wake_one(const std::atomic<std::uint32_t>& word) noexcept {
  const long result = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  MR_CHECK(result >= 0, errno);
}

std::optional<base::TimePoint> LinuxFutex::deadline_after(base::Duration timeout) noexcept {
  const base::TimePoint now = base::steady_clock().now();
  timeout = std::max(timeout, base::Duration::zero());
  if (timeout > base::TimePoint::max() - now) return std::nullopt;
  return now + timeout;
}

}  // namespace millrace::base
