#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/run_pool.h"

// Where a call keeps the handle of its run, so that any thread can cancel the run at any time. One
// word says where the call stands, or is the run itself:
//
// clang-format off
//            cancel                      cancel
//   new ─────────────► cancelled   starting ─────► cancelled
//    │ begin               │ begin      │ keep          │ keep: cancels the run
//    ▼                     ▼            ▼    cancel     ▼
//   starting            starting      a run ────────► taken
//                                       │ end           │ end
//                                       ▼               ▼
//                                      over ──begin──► starting
// clang-format on
//
// The reference to the run belongs to the word, and whoever replaces the word owns it: a thread
// that cancels can therefore never touch a run that has gone, and nobody waits for anybody.
//
// `end` may come before `keep`, because a run may answer while it is being started. The last thing
// that happens to a call is its answer, so of the two the later one delivers it.

namespace millrace::rank {

/// Threading: `cancel` from any thread. `begin`, `keep` and `close` by the thread that starts the
/// request, `end` by the one that has the answer. Lifetime: no call may be under way when it goes.
class RunSlot {
 public:
  RunSlot() = default;
  RunSlot(const RunSlot&) = delete;
  RunSlot& operator=(const RunSlot&) = delete;

  /// Opens the slot for a request. False: it was cancelled before it began.
  [[nodiscard]] bool begin();
  /// Says whether the request was cancelled since `begin`; before `keep`.
  [[nodiscard]] bool is_cancelled() const {
    return word_.load(std::memory_order_relaxed) == kCancelled;
  }
  /// Keeps the handle until `end`, and cancels the run if that was asked for meanwhile. True: the
  /// caller must not touch the call again. False: the run has answered, and the caller delivers.
  [[nodiscard]] bool keep(runtime::RunHandle handle);
  /// Ends a request that has no run; the caller delivers the answer.
  void close() { word_.store(kOver, std::memory_order_release); }
  /// Ends a request whose run has answered. True: the caller delivers the answer. False: the thread
  /// that starts the request will, and the caller must not touch the call again.
  [[nodiscard]] bool end();
  /// Cancels the request that is under way, or the first one before it has begun. After an answer
  /// it does nothing until the next `begin`: it may have been meant for the request that was
  /// answered.
  void cancel();

 private:
  using Word = std::uintptr_t;
  // Values that no address of a run has.
  static constexpr Word kNew = 0;
  static constexpr Word kCancelled = 1;
  static constexpr Word kStarting = 2;
  static constexpr Word kTaken = 3;
  static constexpr Word kOver = 4;

  // Publishes the run to whoever cancels it, and the answer to whoever delivers it.
  std::atomic<Word> word_{kNew};
};

}  // namespace millrace::rank
