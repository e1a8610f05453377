#include "apps/rankd/line_server.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <semaphore>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "base/format.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "rank/rank_error.h"
#include "rank/ranker.h"
#include "rank/request.h"

// Three kinds of threads pass a request on:
//
// - The calling thread reads a line into the next slot of a ring and posts the slot to its loop.
// - A loop starts the request. Whoever has its answer marks the slot as answered.
// - The writing thread takes the slots in the order of the ring, so answers keep the order of
// lines.
//
// Two counts bound what is held. `under_way_` are the requests that have no answer yet. A request
// that takes long makes later answers wait for it, so the ring has more slots than that; when all
// are taken, reading waits for the writer.

namespace millrace::rankd {
namespace {

constexpr std::chrono::milliseconds kRetryPause(1);
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

/// One line and its answer.
/// Threading: the reading thread until it is posted, its loop until it is answered, then the
/// writing thread until that frees the slot.
class LineSlot final : public rank::RankCall, loop::Job, loop::Timer {
 public:
  LineSlot(LoopPart& part, std::counting_semaphore<>& under_way)
      : Job([](Job& job) { static_cast<LineSlot&>(job).start(); }),
        Timer([](Timer& timer) { static_cast<LineSlot&>(timer).start(); }),
        part_(part),
        under_way_(under_way) {}

  std::string line;
  bool is_end = false;  ///< no line, but the end of the input
  std::uint64_t refusal_count = 0;

  void post() { part_.loop.post(*this); }
  void mark_answered() {
    is_answered_.store(true, std::memory_order_release);
    is_answered_.notify_one();
  }
  [[nodiscard]] bool is_answered() const { return is_answered_.load(std::memory_order_acquire); }
  void wait_for_answer() const { is_answered_.wait(false, std::memory_order_acquire); }
  void free() {
    if (line.capacity() > kKeptLineBytes) line = {};
    refusal_count = 0;
    is_answered_.store(false, std::memory_order_relaxed);
  }

 private:
  void start() { part_.ranker.start(*this, part_.reader, line); }

  void on_answer() override {
    // Happens when bodies of earlier requests still run though these were answered at their
    // deadlines. The input is the queue, so the request waits.
    if (outcome() == rank::RankOutcome::kRefused) {
      ++refusal_count;
      return part_.loop.arm(*this, part_.loop.clock().now() + kRetryPause);
    }
    std::counting_semaphore<>& under_way = under_way_;
    mark_answered();
    under_way.release();
  }

  LoopPart& part_;
  std::counting_semaphore<>& under_way_;
  // Publishes the answer to the writing thread. Set back by that thread, and published to the
  // reading thread by `free_slots_` of the server.
  std::atomic<bool> is_answered_{false};
};

class LineServer {
 public:
  LineServer(host::Engine& engine, Output& out, StopFlag& stop, const LineServerOptions& options)
      : out_(out),
        stop_(stop),
        options_(options),
        under_way_(options.concurrency),
        free_slots_(options.concurrency * kSlotsPerRequest) {
    for (std::size_t index = 0; index < engine.loop_count(); ++index)
      parts_.push_back(std::make_unique<LoopPart>(engine.loop(index), engine.ranker(index)));
    const auto count = static_cast<std::size_t>(options.concurrency * kSlotsPerRequest);
    for (std::size_t index = 0; index < count; ++index)
      slots_.push_back(std::make_unique<LineSlot>(*parts_[index % parts_.size()], under_way_));
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
    // No thread is inside `on_answer` any more when all permits are back.
    for (std::int64_t index = 0; index < options_.concurrency; ++index) under_way_.acquire();
    if (!read) return std::unexpected(read.error());
    if (!out_.status()) return std::unexpected(out_.status().error());
    return all_ok_;
  }

 private:
  /// Starts a request for each line; at the end marks the slot after the last one.
  [[nodiscard]] base::Status read_lines(LineReader& in) {
    for (std::size_t index = 0;; index = (index + 1) % slots_.size()) {
      free_slots_.acquire();
      LineSlot& slot = *slots_[index];
      base::Result<LineReader::Got> got = LineReader::Got::kLine;
      do {
        got = in.next(slot.line);
      } while (got && *got == LineReader::Got::kLine &&
               slot.line.find_first_not_of(" \t\r") == std::string::npos);
      if (got && *got == LineReader::Got::kLine) {
        under_way_.acquire();
        if (!stop_.is_raised()) {
          slot.post();
          continue;
        }
        under_way_.release();
      }
      slot.is_end = true;
      slot.mark_answered();
      if (!got) return std::unexpected(got.error());
      return {};
    }
  }

  /// Writes the answers in the order of the ring, until the slot that is marked as the end.
  void write_answers() {
    std::string text;
    for (std::size_t index = 0;; index = (index + 1) % slots_.size()) {
      LineSlot& slot = *slots_[index];
      if (!slot.is_answered() || text.size() > kWriteBytes) {
        write(text);
        slot.wait_for_answer();
      }
      if (slot.is_end) break;
      if (options_.rewrite != nullptr) {
        text += options_.rewrite(slot.response());
      } else {
        text += slot.response();
        text += '\n';
      }
      all_ok_ &= slot.ok();
      if (options_.log != nullptr) log_answer(slot);
      slot.free();
      free_slots_.release();
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
  // Permits for requests that have no answer yet.
  std::counting_semaphore<> under_way_;
  // Slots that hold neither a request nor an answer.
  std::counting_semaphore<> free_slots_;
  std::vector<std::unique_ptr<LoopPart>> parts_;
  std::vector<std::unique_ptr<LineSlot>> slots_;
  bool all_ok_ = true;  // belongs to the writing thread
};

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
