#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "bench/faults/phase_report.h"
#include "host/engine.h"
#include "tests/redis/checked_load.h"

namespace millrace::bench {

struct SteadyOptions {
  double requests_per_s = 2000;
  base::Duration deadline = std::chrono::milliseconds(50);
  base::Duration time_max = std::chrono::seconds(60);  ///< samples are reserved for this time
  int users = 1;                                       ///< requests are for each user in turn
};

/// Starts requests at a constant rate, whether or not earlier ones have been answered, for plans in
/// turn. Checks each answer.
/// Threading: made, stopped and destroyed by one thread.
/// Lifetime: borrows the engine and the answers.
class SteadyLoad {
 public:
  SteadyLoad(host::Engine& engine,
             std::span<const live::PlanAnswers> plans,
             const SteadyOptions& options);
  ~SteadyLoad();
  SteadyLoad(const SteadyLoad&) = delete;
  SteadyLoad& operator=(const SteadyLoad&) = delete;

  /// Starts no more requests and waits for those that are running. Ends the program if one is never
  /// answered, because that request still uses what would be destroyed.
  void stop();
  /// Samples of all requests, in the order in which they started. Call after `stop`.
  [[nodiscard]] std::span<const Sample> samples() const { return samples_; }
  /// The first response that was wrong, for people to look at. Call after `stop`.
  [[nodiscard]] const std::string& first_wrong() const { return first_wrong_; }

 private:
  class Slot;
  void run();
  [[nodiscard]] Slot& free_slot();
  [[nodiscard]] bool all_answered() const;

  host::Engine& engine_;
  const std::span<const live::PlanAnswers> plans_;
  const SteadyOptions options_;
  std::vector<Sample> samples_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::size_t next_slot_ = 0;
  // Tells the starting thread to end; publishes nothing.
  std::atomic<bool> stopping_{false};
  // The thread that sets it first writes the text, which is read when all requests have been
  // answered.
  std::atomic<bool> has_wrong_{false};
  std::string first_wrong_;
  std::thread starter_;
};

}  // namespace millrace::bench
