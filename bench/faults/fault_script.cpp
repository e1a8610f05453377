#include "bench/faults/fault_script.h"

#include <chrono>
#include <thread>
#include <utility>

#include "base/format.h"

namespace millrace::bench {
namespace {

base::TimePoint now() { return base::steady_clock().now(); }

double seconds(base::Duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

template <class Fault>
Phase FaultScript::repeat(std::string name, Fault fault) {
  Phase phase{.name = std::move(name), .begin = now()};
  for (int round = 0; round < times_.rounds; ++round) {
    const base::TimePoint began = now();
    phase.rounds.push_back(fault(round));
    phase.rounds.back().began = began;
    std::this_thread::sleep_for(times_.calm);
  }
  return end(std::move(phase));
}

Phase FaultScript::end(Phase phase) const {
  phase.end = now();
  // Wait until all requests of this phase are over, so that the next fault does not meet them.
  std::this_thread::sleep_for(times_.deadline);
  return phase;
}

Phase FaultScript::healthy() const {
  Phase phase{.name = "healthy", .begin = now()};
  std::this_thread::sleep_for(times_.healthy);
  return end(std::move(phase));
}

Phase FaultScript::killed() {
  return repeat("killed", [&](int) {
    server_.kill();
    std::this_thread::sleep_for(times_.fault);
    FaultRound round{.emptied = now()};
    server_.start();
    round.recovered = now();
    server_.load(data_file_);
    round.filled = now();
    return round;
  });
}

Phase FaultScript::stopped() {
  return repeat("stopped", [&](int) {
    server_.pause();
    std::this_thread::sleep_for(times_.fault);
    server_.resume();
    return FaultRound{.recovered = now()};
  });
}

Phase FaultScript::slow() {
  return repeat("slow", [&](int round) {
    const base::Duration busy = times_.deadline * (1 + 2 * round) / 2;
    const base::Duration idle = times_.deadline / 5;
    const auto times = 1 + times_.fault / (busy + idle);
    server_.cli(
        base::format("-r {} -i {:.3f} DEBUG SLEEP {:.3f}", times, seconds(idle), seconds(busy)));
    return FaultRound{.recovered = now()};
  });
}

}  // namespace millrace::bench
