#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <semaphore>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/rankd/stop_signals.h"
#include "base/clock.h"
#include "host/engine.h"

namespace millrace::rankd {

/// The results of a number of requests.
struct Repeated {
  base::Duration elapsed{};
  base::Duration cpu{};                   ///< CPU time of the whole process during the run
  std::vector<base::Duration> latencies;  ///< sorted; of requests that were not refused
  std::uint64_t store_round_trips = 0;    ///< of all requests; see rank::RankCall
  std::int64_t refused = 0;               ///< answered `busy`: they never started
  std::int64_t failed = 0;                ///< got an error other than `busy`
  std::string first_error;                ///< response of the first failed request
  std::string last_response;              ///< the last response that one of the calls got
};

/// Keeps a number of requests under way: each answer starts the next one.
/// Threading: one thread calls `run`. Lifetime: borrows the engine and the flag. Every run uses the
/// same calls, so that the second run finds their buffers allocated.
class RequestRepeater {
 public:
  RequestRepeater(host::Engine& engine, std::int64_t concurrency);
  ~RequestRepeater();
  RequestRepeater(const RequestRepeater&) = delete;
  RequestRepeater& operator=(const RequestRepeater&) = delete;

  /// Sets a function that is called with the number of answers so far, about a hundred times per
  /// run, on any thread.
  void on_progress(std::function<void(std::int64_t answered, std::int64_t count)> show);

  /// Sets a function that is called with each response, on any thread, and on several threads at
  /// the same time.
  void on_response(std::function<void(std::string_view response)> show);

  /// Sets a flag that ends a run: no further request is started once it is raised.
  void stop_on(const StopFlag& stop) { stop_ = &stop; }

  /// Answers the requests in turn, `count` in all, and waits for the last answer.
  [[nodiscard]] Repeated run(std::span<const std::string> requests, std::int64_t count);
  /// Answers one request `count` times.
  [[nodiscard]] Repeated run(std::string_view request, std::int64_t count) {
    const std::string text(request);
    return run(std::span(&text, 1), count);
  }

 private:
  struct LoopPart;
  class Slot;

  /// The next request to start; nullptr if there is none.
  [[nodiscard]] const std::string* take_next() {
    if (stop_ != nullptr && stop_->is_raised()) return nullptr;
    const std::int64_t number = started_.fetch_add(1, std::memory_order_relaxed);
    return number < count_ ? &requests_[static_cast<std::size_t>(number) % requests_.size()]
                           : nullptr;
  }
  void count_answer();

  std::vector<std::unique_ptr<LoopPart>> parts_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::function<void(std::int64_t, std::int64_t)> show_progress_;
  std::function<void(std::string_view)> show_response_;
  const StopFlag* stop_ = nullptr;
  // The requests and count of the current run; constant during the run.
  std::span<const std::string> requests_;
  std::int64_t count_ = 0;
  // Counts of requests. They publish nothing; `done_` does.
  std::atomic<std::int64_t> started_{0};
  std::atomic<std::int64_t> answered_{0};
  // Publishes what a slot has collected to the thread that waits.
  std::counting_semaphore<> done_{0};
};

/// CPU time that all threads of this process have used.
[[nodiscard]] base::Duration process_cpu_time();

}  // namespace millrace::rankd
