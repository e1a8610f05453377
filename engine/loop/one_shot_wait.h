#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "loop/task_promise.h"

namespace millrace::loop {

/// Why a one-shot wait is over.
enum class WaitEnd : std::uint8_t {
  kDone,       ///< what the coroutine waited for has happened
  kTimedOut,   ///< its time is over
  kCancelled,  ///< a stop was requested, or the loop stops
};

/// A wait of one coroutine that several events may end: a reply, a timer, a request to stop, each
/// on its own thread. Awaitables derive from it or hold one.
///
///   suspending ──finish_suspending()──► waiting ──end()──► ended: the one that ended it resumes
///       └──────────────end()───────────────────────────► ended: the coroutine does not suspend
///
/// Invariant: exactly one call of `end` or `end_posted` takes effect, and exactly one party makes
/// the coroutine go on: the one that ended the wait if the coroutine was suspended by then, else
/// the coroutine itself, because `finish_suspending` returns false.
///
/// Threading: any thread, but `begin` and `finish_suspending`: the coroutine's own.
/// Lifetime: usually in the frame of the coroutine, so it may be gone when `end` returns.
class OneShotWait {
 public:
  OneShotWait() = default;
  OneShotWait(const OneShotWait&) = delete;
  OneShotWait& operator=(const OneShotWait&) = delete;

  /// Names the coroutine that waits. Call it first in `await_suspend`, before anything can end the
  /// wait.
  void begin(TaskPromise& task) { task_ = &task; }

  /// Call it last in `await_suspend` and return what it returns: false when the wait has ended
  /// already. After true the coroutine may run on another thread: touch nothing of it.
  [[nodiscard]] bool finish_suspending();

  /// Ends the wait, if nothing has ended it before, and resumes a suspended coroutine at its home:
  /// inside the call when that is here.
  void end(WaitEnd how) {
    if (try_end(how)) task_->resume_at_home();
  }
  /// The same, but never resumes inside the call: for callers that hold a lock, as a stop callback
  /// does.
  void end_posted(WaitEnd how) {
    if (try_end(how)) task_->post_home();
  }

  /// Ends the wait as cancelled, if nothing has ended it, and resumes nothing: the coroutine is
  /// being destroyed while others can still reach this wait.
  void abandon() { static_cast<void>(try_end(WaitEnd::kCancelled)); }

  /// Nothing while the wait goes on. Acquires what the one that ended it wrote before.
  [[nodiscard]] std::optional<WaitEnd> ended() const;
  /// Whether the coroutine is suspended and nothing has ended its wait.
  [[nodiscard]] bool is_waiting() const {
    return phase_.load(std::memory_order_acquire) == Phase::kWaiting;
  }

 private:
  enum class Phase : std::uint8_t { kSuspending, kWaiting, kDone, kTimedOut, kCancelled };

  /// True: the coroutine is suspended and the caller must resume it.
  [[nodiscard]] bool try_end(WaitEnd how);
  [[nodiscard]] static Phase phase_of(WaitEnd how);

  TaskPromise* task_ = nullptr;
  // Publishes the result of the wait to the coroutine, and the finished suspension to the one that
  // ends the wait.
  std::atomic<Phase> phase_{Phase::kSuspending};
};

}  // namespace millrace::loop
