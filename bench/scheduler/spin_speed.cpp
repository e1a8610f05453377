#include "scheduler/spin_speed.h"

#include <atomic>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "scheduler/body.h"
#include "scheduler/placement.h"
#include "scheduler/statistics.h"

namespace millrace::bench {
namespace {

double time_spins(std::uint64_t steps, std::uint64_t calls) {
  const base::TimePoint start = base::steady_clock().now();
  for (std::uint64_t call = 0; call < calls; ++call) spin(steps);
  const base::Duration taken = base::steady_clock().now() - start;
  return static_cast<double>(taken.count()) / static_cast<double>(calls);
}

}  // namespace

double calibrate_steps_per_ns() {
  constexpr std::uint64_t kSteps = 1'000;
  std::vector<double> samples(21);
  for (double& sample : samples) sample = time_spins(kSteps, 1'000);
  return kSteps / median(samples);
}

double sample_spin_ns(std::uint64_t steps,
                      std::uint64_t calls,
                      unsigned threads,
                      const Placement& placement) {
  // Counts the running threads; none starts its clock before all are running. Publishes nothing.
  std::atomic<unsigned> running = 0;
  std::vector<double> rates(threads);
  const auto measure = [&](unsigned thread) {
    placement.place_this_thread(thread);
    running.fetch_add(1, std::memory_order_relaxed);
    while (running.load(std::memory_order_relaxed) < threads) std::this_thread::yield();
    rates[thread] = 1 / time_spins(steps, calls);
  };
  std::vector<std::thread> companions;
  for (unsigned thread = 1; thread < threads; ++thread) companions.emplace_back(measure, thread);
  measure(0);
  for (std::thread& companion : companions) companion.join();
  return threads / std::accumulate(rates.begin(), rates.end(), 0.0);
}

}  // namespace millrace::bench
