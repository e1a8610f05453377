#include "apps/rankd/line_server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/format.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "rank/rank_error.h"
#include "rank/ranker.h"
#include "rank/request.h"

// Three kinds of threads pass a request on:
//
// - The calling thread reads lines into the slots of a ring. Those that may start it posts to the
// loops; the others wait in their slots.
// - A loop starts the request. Whoever has its answer starts the next line that waits, on the same
// loop, so nobody is woken for it while there are lines.
// - The writing thread takes the slots in the order of the ring, so answers keep the order of
// lines.
//
// A thread is woken for many slots at a time: the loops for what one read gave, the reader for what
// one write freed, and the writer by a job that comes after the jobs that its loop has already.
//
// Two counts bound what is held. `balance_` bounds the requests that have no answer yet. A request
// that takes long makes later answers wait for it, so the ring has more slots than that; when all
// are taken, reading waits for the writer.

namespace millrace::rankd {
namespace {

constexpr std::chrono::milliseconds kRetryPause(1);
// How often the reading thread looks for a stop while it waits for a slot.
constexpr std::chrono::milliseconds kStopPause(50);
// Slots of the ring for each request that may be under way.
constexpr std::int64_t kSlotsPerRequest = 4;
// Answers that are ready together are written together, up to this many bytes.
constexpr std::size_t kWriteBytes = 256UL << 10;
// A slot gives the memory of a longer line back.
constexpr std::size_t kKeptLineBytes = 16UL << 10;

/// What the slots of one loop share.
/// Threading: `reader` belongs to the loop thread.
struct LoopPart {
  LoopPart(loop::Loop& its_loop, rank::Ranker& its_ranker) : loop(its_loop), ranker(its_ranker) {}
  loop::Loop& loop;
  rank::Ranker& ranker;
  rank::RequestReader reader;
};

class LineServer;

/// One line and its answer.
/// Threading: the reading thread until the line is published, whoever starts it until it is posted,
/// its loop until it is answered, then the writing thread until that frees the slot.
class LineSlot final : public rank::RankCall, loop::Job, loop::Timer {
 public:
  explicit LineSlot(LineServer& server)
      : Job([](Job& job) { static_cast<LineSlot&>(job).start(); }),
        Timer([](Timer& timer) { static_cast<LineSlot&>(timer).start(); }),
        server_(server),
        finish_job_(*this) {}

  std::string line;
  bool is_end = false;  ///< no line, but the end of the input
  std::uint64_t refusal_count = 0;

  void post(LoopPart& part) {
    part_ = &part;
    part.loop.post(*this);
  }
  void mark_answered() {
    if (state_.exchange(State::kAnswered, std::memory_order_acq_rel) == State::kAwaited)
      state_.notify_one();
  }
  [[nodiscard]] bool is_answered() const {
    return state_.load(std::memory_order_acquire) == State::kAnswered;
  }
  void wait_for_answer() {
    State found = State::kOpen;
    state_.compare_exchange_strong(found, State::kAwaited, std::memory_order_acquire);
    while (!is_answered()) state_.wait(State::kAwaited, std::memory_order_acquire);
  }
  void free() {
    if (line.capacity() > kKeptLineBytes) line = {};
    refusal_count = 0;
    state_.store(State::kOpen, std::memory_order_relaxed);
  }

 private:
  enum class State : std::uint8_t {
    kOpen,
    kAwaited,  ///< the writing thread sleeps until the answer is there
    kAnswered,
  };
  struct FinishJob : loop::Job {
    explicit FinishJob(LineSlot& its_slot)
        : Job([](Job& job) { static_cast<FinishJob&>(job).slot.finish(); }), slot(its_slot) {}
    LineSlot& slot;
  };

  void start() { part_->ranker.start(*this, part_->reader, line); }
  void on_answer() override;
  /// Gives the answer to the writing thread and starts the next line that waits.
  void finish();

  LineServer& server_;
  LoopPart* part_ = nullptr;
  FinishJob finish_job_;
  // Publishes the answer to the writing thread. Set back by that thread, and published to the
  // reading thread by `free_slots_` of the server.
  std::atomic<State> state_{State::kOpen};
};

class LineServer {
 public:
  LineServer(host::Engine& engine, Output& out, StopFlag& stop, const LineServerOptions& options)
      : out_(out),
        stop_(stop),
        options_(options),
        free_slots_(options.concurrency * kSlotsPerRequest),
        balance_(-options.concurrency) {
    for (std::size_t index = 0; index < engine.loop_count(); ++index)
      parts_.push_back(std::make_unique<LoopPart>(engine.loop(index), engine.ranker(index)));
    const auto count = static_cast<std::size_t>(options.concurrency * kSlotsPerRequest);
    for (std::size_t index = 0; index < count; ++index)
      slots_.push_back(std::make_unique<LineSlot>(*this));
  }

  [[nodiscard]] base::Result<bool> serve(LineReader& in) {
    std::thread writer;
    try {
      writer = std::thread([this] { write_answers(); });
    } catch (const std::system_error& error) {
      return base::fail(base::ErrorCode::kResourceExhausted,
                        base::format("Cannot start a thread that writes: {}", error.what()));
    }
    const base::Status read = read_lines(in);
    writer.join();
    // Whoever made the last answers may still be about to return their places.
    while (balance_.load(std::memory_order_acquire) != -options_.concurrency)
      std::this_thread::yield();
    if (!read) return std::unexpected(read.error());
    if (!out_.status()) return std::unexpected(out_.status().error());
    return all_ok_;
  }

  /// Called when a request has its answer: starts the next line that waits, on the same loop.
  void return_place(LoopPart& part) {
    if (balance_.fetch_sub(1, std::memory_order_acq_rel) > 0) take_line().post(part);
  }

 private:
  [[nodiscard]] LineSlot& slot(std::uint64_t number) { return *slots_[number % slots_.size()]; }

  /// The next line that nobody has started. Only for whoever found a line and a place in
  /// `balance_`.
  [[nodiscard]] LineSlot& take_line() {
    return slot(taken_count_.fetch_add(1, std::memory_order_acq_rel));
  }

  /// Reads lines until the end; then marks the slot after the last one that is answered.
  [[nodiscard]] base::Status read_lines(LineReader& in) {
    while (true) {
      if (!free_slots_.try_acquire()) wait_for_slot();
      std::string& line = slot(read_count_).line;
      base::Result<LineReader::Got> got = LineReader::Got::kLine;
      do {
        if (!in.has_line()) publish_lines();
        got = in.next(line);
      } while (got && *got == LineReader::Got::kLine &&
               line.find_first_not_of(" \t\r") == std::string::npos);
      if (got && *got == LineReader::Got::kLine) {
        ++read_count_;
        continue;
      }
      if (stop_.is_raised()) {
        withdraw_lines();
      } else {
        publish_lines();
      }
      LineSlot& end = slot(published_count_);
      end.is_end = true;
      end.mark_answered();
      if (!got) return std::unexpected(got.error());
      return {};
    }
  }

  /// Waits for the writing thread to free a slot. A stop that comes meanwhile takes effect at once:
  /// answers that come late must not let the lines behind them begin.
  void wait_for_slot() {
    publish_lines();
    while (!free_slots_.try_acquire_for(kStopPause)) {
      if (stop_.is_raised()) withdraw_lines();
    }
  }

  /// Gives the lines read so far to whoever has a place for them: starts as many as there are
  /// places, and leaves the others to those that return theirs.
  void publish_lines() {
    const auto count = static_cast<std::int64_t>(read_count_ - published_count_);
    if (count == 0) return;
    published_count_ = read_count_;
    const std::int64_t before = balance_.fetch_add(count, std::memory_order_acq_rel);
    for (std::int64_t left = std::min(count, -before); left > 0; --left)
      take_line().post(*parts_[next_part_++ % parts_.size()]);
  }

  /// Forgets the lines that were read and that nobody has started. Lines are taken in their order,
  /// so these are the last ones.
  void withdraw_lines() {
    std::int64_t waiting = balance_.load(std::memory_order_relaxed);
    while (waiting > 0 && !balance_.compare_exchange_weak(waiting, 0, std::memory_order_acq_rel)) {
    }
    if (waiting > 0) published_count_ -= static_cast<std::uint64_t>(waiting);
    read_count_ = published_count_;
  }

  /// Writes the answers in the order of the ring, until the slot that is marked as the end.
  void write_answers() {
    std::string text;
    std::int64_t held_count = 0;
    for (std::uint64_t number = 0;; ++number) {
      LineSlot& next = slot(number);
      if (!next.is_answered() || text.size() > kWriteBytes) {
        write(text);
        free_slots_.release(std::exchange(held_count, 0));
        next.wait_for_answer();
      }
      if (next.is_end) break;
      if (options_.rewrite != nullptr) {
        text += options_.rewrite(next.response());
      } else {
        text += next.response();
        text += '\n';
      }
      all_ok_ &= next.ok();
      if (options_.log != nullptr) log_answer(next);
      next.free();
      ++held_count;
    }
    write(text);
  }

  /// Logs what an operator would want to know about a request. The logger limits how often.
  void log_answer(const LineSlot& slot) {
    const std::string_view plan =
        slot.plan() != nullptr ? std::string_view(slot.plan()->plan().name) : std::string_view();
    if (slot.refusal_count > 0) {
      options_.log->warning("request_refused",
                            "A request had to wait because too many were under way",
                            {{"request_id", slot.request_id()},
                             {"engine_request_id", slot.engine_request_id()},
                             {"plan", plan},
                             {"tries", slot.refusal_count}});
    }
    if (options_.slow && slot.took() > *options_.slow) {
      const std::string_view outcome = slot.code()                 ? rank::to_string(*slot.code())
                                       : slot.degraded_count() > 0 ? "degraded"
                                                                   : "ok";
      options_.log->warning(
          "request_slow",
          "A request took long",
          {{"request_id", slot.request_id()},
           {"engine_request_id", slot.engine_request_id()},
           {"plan", plan},
           {"outcome", outcome},
           {"took_ms", std::chrono::duration<double, std::milli>(slot.took()).count()}});
    }
  }

  void write(std::string& text) {
    if (!out_.write(text)) stop_.raise();
    text.clear();
  }

  Output& out_;
  StopFlag& stop_;
  const LineServerOptions options_;
  std::vector<std::unique_ptr<LoopPart>> parts_;
  std::vector<std::unique_ptr<LineSlot>> slots_;
  // Slots that hold neither a line nor an answer.
  std::counting_semaphore<> free_slots_;
  // Lines that wait for a place among the requests under way or, below zero, places that wait for a
  // line. Publishes lines to whoever takes them, and at the end that nobody holds a slot.
  std::atomic<std::int64_t> balance_;
  // Lines that were taken. A line may have been published after its taker looked at `balance_`, but
  // never after all earlier takers did, so this passes the publication on.
  std::atomic<std::uint64_t> taken_count_{0};
  // These belong to the reading thread.
  std::uint64_t read_count_ = 0;
  std::uint64_t published_count_ = 0;
  std::size_t next_part_ = 0;
  bool all_ok_ = true;  // belongs to the writing thread
};

void LineSlot::on_answer() {
  // Happens when bodies of earlier requests still run though these were answered at their
  // deadlines. The input is the queue, so the request waits.
  if (outcome() == rank::RankOutcome::kRefused) {
    ++refusal_count;
    return part_->loop.arm(*this, part_->loop.clock().now() + kRetryPause);
  }
  // A writer that sleeps is woken after what the loop already has to do: meanwhile more answers
  // come, and one wake is for all of them.
  if (state_.load(std::memory_order_relaxed) == State::kAwaited && part_->loop.is_current())
    return part_->loop.post(finish_job_);
  finish();
}

void LineSlot::finish() {
  LineServer& server = server_;
  LoopPart& part = *part_;
  mark_answered();
  server.return_place(part);
}

}  // namespace

base::Result<bool> serve_lines(host::Engine& engine,
                               LineReader& in,
                               Output& out,
                               StopFlag& stop,
                               const LineServerOptions& options) {
  LineServer server(engine, out, stop, options);
  return server.serve(in);
}

}  // namespace millrace::rankd
