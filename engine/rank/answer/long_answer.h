#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "rank/answer/answer_text.h"
#include "rank/request_run.h"
#include "runtime/run_pool.h"

// Writes an answer that is too long for an event loop on a worker. Meanwhile a timer of the loop
// stands for the deadline, so the request is answered then, however long the writing takes and
// however busy the workers are. Of the two the first one counts:
//
// clang-format off
//             the worker is done
//   writing ─────────────────────► written: the loop ends the answer
//      │
//      └─────────────────────────► taken: the loop has failed the request; the worker
//             the timer fires             notices it soon and drops what it has written
// clang-format on

namespace millrace::rank {

/// Threading: `start` from any thread; the rest is for `Order::done`, on the loop.
/// Lifetime: owns itself. It ends after `done`; if the timer was first, when the worker notices it.
class LongAnswer final : loop::Timer, loop::Job {
 public:
  /// Is called once, on the loop. `answer` is null if the answer is late.
  using Done = void (*)(LongAnswer* answer, AnswerEnd end, void* data);

  /// Lifetime: `run` is declared last, so it is given back before the plan may go.
  struct Order {
    loop::Loop* loop = nullptr;
    loop::Executor* workers = nullptr;
    std::optional<base::TimePoint> deadline = {};
    CandidateOptions options = {};  ///< `stop` is set here
    Done done = nullptr;
    void* data = nullptr;
    AnswerText text = {};  ///< the response has been begun
    runtime::RunHandle ended = {};
    std::shared_ptr<RequestRun> run = {};
  };
  static void start(Order order);

  [[nodiscard]] AnswerText& text() { return order_.text; }
  [[nodiscard]] const runtime::Run& ended() const { return order_.ended.run(); }
  /// When the worker was done.
  [[nodiscard]] base::TimePoint written_at() const { return written_at_; }

 private:
  enum class State : std::uint8_t { kWriting, kWritten, kTaken };

  explicit LongAnswer(Order order)
      : Timer(&fired, &fired), Job(&begin_on_loop), order_(std::move(order)) {}

  static void begin_on_loop(Job& job);
  static void write_on_worker(Job& job);
  static void end_on_loop(Job& job);
  static void fired(Timer& timer);
  void begin();
  [[nodiscard]] AnswerEnd write();
  [[nodiscard]] bool try_leave_writing(State next);

  Order order_;
  base::TimePoint written_at_{};  // with the state kWritten
  AnswerEnd end_ = AnswerEnd::kWritten;
  // kWritten publishes what the worker wrote to the loop. Whoever makes it kTaken has let go of the
  // object: the worker destroys it.
  std::atomic<State> state_{State::kWriting};
};

}  // namespace millrace::rank
