#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <semaphore>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "host/engine.h"

namespace millrace::rankd {

/// What a number of requests gave.
struct Repeated {
  base::Duration elapsed{};
  base::Duration cpu{};                   ///< of the whole process meanwhile
  std::vector<base::Duration> latencies;  ///< sorted
  std::uint64_t store_round_trips = 0;    ///< of all requests; see rank::RankCall
  std::int64_t failed = 0;
  std::string first_error;    ///< response of the first failed request
  std::string last_response;  ///< of one of the calls, the last it got
};

/// Keeps a number of requests under way: each answer starts the next one.
/// Threading: one thread calls `run`. Lifetime: borrows the engine; its calls are used again by
/// every run, so that a second one is warm.
class RequestRepeater {
 public:
  RequestRepeater(host::Engine& engine, std::int64_t concurrency);
  ~RequestRepeater();
  RequestRepeater(const RequestRepeater&) = delete;
  RequestRepeater& operator=(const RequestRepeater&) = delete;

  /// Calls it with the number of answers so far, about a hundred times per run, on any thread.
  void on_progress(std::function<void(std::int64_t answered, std::int64_t count)> show);

  /// Calls it with each response, on any thread, those of several calls at the same time.
  void on_response(std::function<void(std::string_view response)> show);

  /// Answers the request `count` times and waits for the last answer.
  [[nodiscard]] Repeated run(std::string_view request, std::int64_t count);

 private:
  struct LoopPart;
  class Slot;

  /// Says whether one more request is to be started.
  [[nodiscard]] bool take_next() {
    return started_.fetch_add(1, std::memory_order_relaxed) < count_;
  }
  void count_answer();

  std::vector<std::unique_ptr<LoopPart>> parts_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::function<void(std::int64_t, std::int64_t)> show_progress_;
  std::function<void(std::string_view)> show_response_;
  // Of the run under way; constant while it is.
  std::string_view request_;
  std::int64_t count_ = 0;
  // Counts of requests; they publish nothing, the semaphore does.
  std::atomic<std::int64_t> started_{0};
  std::atomic<std::int64_t> answered_{0};
  // Publishes what a slot has collected to the thread that waits.
  std::counting_semaphore<> done_{0};
};

/// CPU time that all threads of this process have used.
[[nodiscard]] base::Duration process_cpu_time();

}  // namespace millrace::rankd
