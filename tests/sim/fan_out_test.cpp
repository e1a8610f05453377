#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "scenario.h"
#include "sim_world.h"

namespace millrace::sim {
namespace {

using std::chrono::milliseconds;

bool has_slow_body(const RunPlan& run, std::uint32_t node_count) {
  for (std::uint32_t node = 0; node < node_count; ++node) {
    if (is_slow_body(run, node)) return true;
  }
  return false;
}

/// A node with `sibling_count` dependents of 1 ms each, run twice: with unknown and with known
/// costs.
Scenario fan_of(std::uint32_t sibling_count, std::uint32_t workers) {
  Scenario scenario;
  scenario.config.compute_threads = workers;
  scenario.config.callers_help = false;
  // The second run is about costs that are known; whole strands would make them known as nothing.
  scenario.runs_whole_strands = false;
  scenario.config.costs.samples_min = 1;
  scenario.config.costs.sample_every = 1;
  DagPlan& dag = scenario.dags.emplace_back();
  dag.nodes.resize(sibling_count + 1);
  for (std::uint32_t node = 1; node <= sibling_count; ++node) {
    dag.nodes[node].cost = milliseconds(1);
    dag.nodes[node].producers = {0};
  }
  scenario.runs.resize(2);
  scenario.runs[1].follows = 0;
  // No body is randomly slow.
  for (RunPlan& run : scenario.runs) {
    while (has_slow_body(run, sibling_count + 1)) ++run.salt;
  }
  return scenario;
}

void expect_parallel(std::uint32_t sibling_count, std::uint32_t workers) {
  const Scenario scenario = fan_of(sibling_count, workers);
  SimWorld world(scenario, sibling_count);
  const auto violation = world.run();
  if (violation) FAIL() << violation->statement << ": " << violation->message;
  const base::Duration ideal = milliseconds((sibling_count + workers - 1) / workers);
  for (const std::uint32_t run : {0U, 1U}) {
    EXPECT_LE(world.latency(run), ideal + ideal / 10)
        << sibling_count << " siblings, " << workers << " workers, "
        << (run == 0 ? "cold" : "warm");
  }
}

TEST(FanOutTest, P5_NarrowFansRunInParallel) {
  for (std::uint32_t siblings = 2; siblings <= 64; ++siblings) {
    for (const std::uint32_t workers : {2U, 3U, 8U}) expect_parallel(siblings, workers);
  }
}

}  // namespace
}  // namespace millrace::sim
