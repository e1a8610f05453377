#include "loop/one_shot_wait.h"

#include <atomic>
#include <optional>

#include "base/check.h"

namespace millrace::loop {

bool OneShotWait::finish_suspending() {
  MR_CHECK(task_ != nullptr);
  Phase expected = Phase::kSuspending;
  return phase_.compare_exchange_strong(
      expected, Phase::kWaiting, std::memory_order_acq_rel, std::memory_order_acquire);
}

bool OneShotWait::try_end(WaitEnd how) {
  const Phase end = phase_of(how);
  Phase now = phase_.load(std::memory_order_relaxed);
  // Two rounds at most: the phase moves once from suspending to waiting.
  while (now == Phase::kSuspending || now == Phase::kWaiting) {
    if (phase_.compare_exchange_weak(
            now, end, std::memory_order_acq_rel, std::memory_order_relaxed)) {
      return now == Phase::kWaiting;
    }
  }
  return false;
}

OneShotWait::Phase OneShotWait::phase_of(WaitEnd how) {
  switch (how) {
    case WaitEnd::kDone:
      return Phase::kDone;
    case WaitEnd::kTimedOut:
      return Phase::kTimedOut;
    case WaitEnd::kCancelled:
      break;
  }
  return Phase::kCancelled;
}

std::optional<WaitEnd> OneShotWait::ended() const {
  switch (phase_.load(std::memory_order_acquire)) {
    case Phase::kDone:
      return WaitEnd::kDone;
    case Phase::kTimedOut:
      return WaitEnd::kTimedOut;
    case Phase::kCancelled:
      return WaitEnd::kCancelled;
    case Phase::kSuspending:
    case Phase::kWaiting:
      break;
  }
  return std::nullopt;
}

}  // namespace millrace::loop
