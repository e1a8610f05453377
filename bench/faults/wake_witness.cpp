#include "bench/faults/wake_witness.h"

#include <algorithm>
#include <chrono>

namespace millrace::bench {

WakeWitness::WakeWitness() : thread_([this] { run(); }) {}

WakeWitness::~WakeWitness() { stop(); }

void WakeWitness::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

void WakeWitness::run() {
  constexpr base::Duration kGap = std::chrono::milliseconds(2);
  base::TimePoint due = base::steady_clock().now();
  while (!stopping_.load(std::memory_order_relaxed)) {
    std::this_thread::sleep_until(due);
    const base::TimePoint now = base::steady_clock().now();
    wakes_.push_back({.due = due, .late = now - due});
    due = std::max(due, now) + kGap;
  }
}

std::vector<double> WakeWitness::lateness_ms(const Phase& phase) const {
  std::vector<double> late;
  for (const Wake& wake : wakes_) {
    if (wake.due < phase.begin || wake.due >= phase.end) continue;
    late.push_back(std::chrono::duration<double, std::milli>(wake.late).count());
  }
  std::ranges::sort(late);
  return late;
}

}  // namespace millrace::bench
