#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "bench/faults/phase_report.h"

namespace millrace::bench {

/// A thread that sleeps from one point in time to the next and notes how late it wakes. No program
/// on this machine can be more exact than that.
/// Threading: made, stopped and destroyed by one thread.
class WakeWitness {
 public:
  WakeWitness();
  ~WakeWitness();
  WakeWitness(const WakeWitness&) = delete;
  WakeWitness& operator=(const WakeWitness&) = delete;

  void stop();
  /// How late it woke during a phase, sorted. Call after `stop`.
  [[nodiscard]] std::vector<double> lateness_ms(const Phase& phase) const;

 private:
  struct Wake {
    base::TimePoint due{};
    base::Duration late{};
  };
  void run();

  // Tells the thread to end; publishes nothing.
  std::atomic<bool> stopping_{false};
  std::vector<Wake> wakes_;
  std::thread thread_;
};

}  // namespace millrace::bench
