#include "overload_check.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/format.h"
#include "scenario.h"
#include "server_world.h"

namespace millrace::server_sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A time with one cost of CPU per request.
struct Phase {
  base::Duration begin;
  base::Duration cpu;
};
constexpr std::array<Phase, 3> kPhases = {{
    {.begin = seconds(0), .cpu = milliseconds(2)},
    {.begin = seconds(3), .cpu = milliseconds(4)},
    {.begin = seconds(6), .cpu = milliseconds(2)},
}};
constexpr base::Duration kSettled = seconds(2);
constexpr base::Duration kPhaseSpan = seconds(3);
constexpr double kWorkers = 2;
constexpr double kRate = 3000;  // three times the greater capacity
constexpr double kGoodputLeast = 0.95;
constexpr double kLimitLeast = 0.7;
constexpr double kLimitMost = 2;

double seconds_of(base::Duration span) { return std::chrono::duration<double>(span).count(); }

void judge_phase(const Phase& phase,
                 const std::vector<ServerWorld::Sample>& samples,
                 Judge& judge) {
  const double capacity = kWorkers / seconds_of(phase.cpu);
  const double in_flight = capacity * seconds_of(milliseconds(20) + phase.cpu);
  const ServerWorld::Sample* first = nullptr;
  const ServerWorld::Sample* last = nullptr;
  for (const ServerWorld::Sample& sample : samples) {
    if (sample.when < phase.begin + kSettled || sample.when > phase.begin + kPhaseSpan) continue;
    if (first == nullptr) first = &sample;
    last = &sample;
    const auto limit = static_cast<double>(sample.limit);
    judge.expect(limit >= kLimitLeast * in_flight && limit <= kLimitMost * in_flight,
                 "S31",
                 base::format("At {:.1f} s the limit is {}, and capacity times latency {:.1f}",
                              seconds_of(sample.when),
                              sample.limit,
                              in_flight));
  }
  const double goodput = static_cast<double>(last->good_answers - first->good_answers) /
                         seconds_of(last->when - first->when);
  judge.expect(goodput >= kGoodputLeast * capacity,
               "S31",
               base::format("From {:.1f} s on goodput is {:.0f}/s of {:.0f}/s",
                            seconds_of(first->when),
                            goodput,
                            capacity));
}

}  // namespace

std::optional<Violation> check_overload(std::uint64_t seed) {
  std::vector<std::pair<base::Duration, base::Duration>> costs;
  for (const Phase& phase : kPhases) costs.emplace_back(phase.begin, phase.cpu);
  auto scenario = std::make_unique<Scenario>(
      make_open_loop(seed, kRate, kPhases.back().begin + kPhaseSpan + milliseconds(100), costs));
  auto world = std::make_unique<ServerWorld>(*scenario);
  std::optional<Violation> violation = world->run();
  if (!violation) {
    Judge judge;
    for (const Phase& phase : kPhases) judge_phase(phase, world->samples(), judge);
    return judge.violation();
  }
  // A world with a violation cannot be taken down in order.
  [[maybe_unused]] const ServerWorld* left_behind = world.release();
  [[maybe_unused]] const Scenario* scenario_left_behind = scenario.release();
  return violation;
}

}  // namespace millrace::server_sim
