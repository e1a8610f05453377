#include "seed_check.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ledger.h"
#include "scenario.h"
#include "sim_world.h"

namespace millrace::sim {
namespace {

struct WorldResult {
  std::optional<Violation> violation;
  std::uint64_t log_hash = 0;
  std::vector<std::uint64_t> results;
  std::vector<std::uint64_t> trace_digests;
};

WorldResult run_world(const Scenario& scenario, std::uint64_t seed) {
  auto world = std::make_unique<SimWorld>(scenario, mix(seed, 2));
  WorldResult result{.violation = world->run(),
                     .log_hash = world->log_hash(),
                     .results = world->results(),
                     .trace_digests = world->trace_digests()};
  // After a violation there are unfinished runs, which cannot be destroyed in order.
  if (result.violation) {
    [[maybe_unused]] const SimWorld* left_behind = world.release();
  }
  return result;
}

std::optional<Violation> check_switches(const Scenario& scenario,
                                        std::uint64_t seed,
                                        const WorldResult& first) {
  for (const std::uint32_t switches : {0U, 1U, 2U, 3U}) {
    Scenario switched = scenario;
    switched.config.enable_inline_execution = (switches & 1U) != 0;
    switched.config.enable_continuation_chaining = (switches & 2U) != 0;
    WorldResult other = run_world(switched, seed);
    if (other.violation) return other.violation;
    if (other.results != first.results)
      return Violation{"D5", "Results depend on inlining or chaining"};
    if (other.trace_digests != first.trace_digests)
      return Violation{"D5", "Trace events depend on inlining or chaining"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Violation> check_seed(std::uint64_t seed, const SeedOptions& options) {
  // On the heap, because after a failure the remains of the world may still refer to it.
  auto scenario = std::make_unique<Scenario>(make_scenario(seed, options.nodes_max));
  WorldResult first = run_world(*scenario, seed);
  std::optional<Violation> violation = first.violation;
  if (!violation && seed % 32 == 0) {
    const WorldResult again = run_world(*scenario, seed);
    if (again.log_hash != first.log_hash)
      violation = Violation{"§8", "The same seed went another way"};
  }
  if (!violation && scenario->is_timing_free && seed % 8 == 1)
    violation = check_switches(*scenario, seed, first);
  if (violation) {
    [[maybe_unused]] const Scenario* left_behind = scenario.release();
  }
  return violation;
}

}  // namespace millrace::sim
