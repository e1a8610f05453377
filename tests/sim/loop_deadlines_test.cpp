// Requests with random deadlines over plans whose hints and estimates are wrong, on a loop whose
// work takes time, with the settings of `rankd`. The loop must never be the reason for a late
// answer: each comes at most a millisecond after its deadline, exactly, because time is virtual.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "ledger.h"
#include "runtime/run.h"
#include "runtime/topology/node.h"
#include "scenario.h"
#include "sim_world.h"

namespace millrace::sim {
namespace {

using runtime::InlineHint;
using runtime::NodeKind;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::uint32_t kRunsPerWorld = 50;
constexpr std::uint32_t kNodeCount = 5;

std::uint32_t request_count() {
  const char* const text = std::getenv("MILLRACE_DEADLINE_REQUESTS");
  return text != nullptr ? static_cast<std::uint32_t>(std::max(1, std::atoi(text))) : 10'000;
}

base::Duration between(base::Random& random, base::Duration least, base::Duration most) {
  const auto span = static_cast<std::uint64_t>((most - least).count());
  return least + base::Duration(static_cast<std::int64_t>(random.below(span + 1)));
}

/// A fetch, three nodes whose hints and declared costs say nothing about what they take, and a
/// cheap one.
DagPlan draw_plan(base::Random& random) {
  DagPlan dag;
  dag.uses_commit = true;
  dag.nodes.resize(kNodeCount);
  for (std::uint32_t index = 0; index < kNodeCount; ++index) {
    NodePlan& node = dag.nodes[index];
    if (index > 0) node.producers = {index - 1};
    node.looks_at_stop = true;
    node.cost = between(random, base::Duration(200), microseconds(20));
  }
  dag.nodes.front().kind = NodeKind::kAsync;
  dag.nodes.front().cost = between(random, microseconds(20), milliseconds(2));
  for (std::uint32_t index = 1; index + 1 < kNodeCount; ++index) {
    NodePlan& node = dag.nodes[index];
    if (random.chance(0.2)) node.cost = between(random, microseconds(100), milliseconds(30));
    node.work_per_row = base::Duration(static_cast<std::int64_t>(random.below(300)));
    node.cost_per_row = base::Duration(static_cast<std::int64_t>(1 + random.below(50)));
    if (random.chance(0.5)) node.inline_hint = InlineHint::kAlways;
    if (random.chance(0.5)) node.cost_estimate = microseconds(1 + random.below(2));
  }
  dag.nodes.back().kind = NodeKind::kCheap;
  return dag;
}

bool has_slow_body(const RunPlan& run) {
  for (std::uint32_t node = 0; node < kNodeCount; ++node) {
    if (is_slow_body(run, node)) return true;
  }
  return false;
}

/// Whether bodies may be 30 times slower than the others of their node.
enum class Surprises : std::uint8_t { kNone, kSlowBodies };

Scenario draw_world(std::uint64_t seed, Surprises surprises) {
  base::SplitMix64 random(seed);
  Scenario scenario;
  scenario.config.compute_threads = 2;
  scenario.config.callers_help = false;
  scenario.config.loop_inline_budget = milliseconds(2);
  scenario.config.costs.inline_threshold = microseconds(50);
  scenario.loop_takes_time = true;
  scenario.loop_works_in_turns = true;
  scenario.dags = {draw_plan(random), draw_plan(random)};
  // From one request after the other to all of them at once.
  const base::Duration span = between(random, milliseconds(1), milliseconds(500));
  for (std::uint32_t index = 0; index < kRunsPerWorld; ++index) {
    RunPlan run;
    run.dag = static_cast<std::uint32_t>(random.below(scenario.dags.size()));
    run.submit_after = between(random, base::Duration(1), span);
    run.deadline_after = between(random, microseconds(200), milliseconds(50));
    run.has_loop = true;
    run.row_count = 1;
    for (std::uint64_t power = random.below(6); power > 0; --power) run.row_count *= 10;
    do {
      run.salt = random.next();
    } while (surprises == Surprises::kNone && has_slow_body(run));
    scenario.runs.push_back(run);
  }
  return scenario;
}

TEST(LoopDeadlinesTest, C9_ALoopIsNeverTheReasonForALateAnswer) {
  const std::uint32_t world_count = (request_count() + kRunsPerWorld - 1) / kRunsPerWorld;
  std::uint32_t ok_count = 0;
  for (std::uint32_t seed = 0; seed < world_count; ++seed) {
    const Scenario scenario = draw_world(seed, Surprises::kNone);
    SimWorld world(scenario, seed);
    const std::optional<Violation> violation = world.run();
    if (violation) FAIL() << seed << ": " << violation->statement << ": " << violation->message;
    for (std::uint32_t run = 0; run < kRunsPerWorld; ++run) {
      const base::Duration late = world.latency(run) - *scenario.runs[run].deadline_after;
      ASSERT_LE(late, runtime::kAnswerLatenessMax) << "run " << run << " of world " << seed;
      ok_count += world.outcome(run) == runtime::RunOutcome::kOk ? 1 : 0;
    }
  }
  EXPECT_GT(ok_count, request_count() / 10);
  EXPECT_LT(ok_count, request_count());
}

// No estimate can know of a body that takes 30 times as long as all before it. Its own request is
// answered in time, because the body looks at the stop. It holds up the timers of other requests on
// its loop, by as long as it runs, and none of those becomes a late success.
TEST(LoopDeadlinesTest, C11_ABodySlowerThanAllBeforeMakesNoLateSuccess) {
  constexpr int kSlowdown = 30;
  const std::uint32_t world_count = (request_count() + kRunsPerWorld - 1) / kRunsPerWorld;
  std::uint32_t ok_count = 0;
  for (std::uint32_t seed = 0; seed < world_count; ++seed) {
    const Scenario scenario = draw_world(seed, Surprises::kSlowBodies);
    const base::Duration longest = kSlowdown * scenario.config.loop_inline_budget;
    SimWorld world(scenario, seed);
    const std::optional<Violation> violation = world.run();
    if (violation) FAIL() << seed << ": " << violation->statement << ": " << violation->message;
    for (std::uint32_t run = 0; run < kRunsPerWorld; ++run) {
      const bool is_ok = world.outcome(run) == runtime::RunOutcome::kOk;
      const base::Duration late = world.latency(run) - *scenario.runs[run].deadline_after;
      ok_count += is_ok ? 1 : 0;
      ASSERT_LE(late, runtime::kAnswerLatenessMax + longest)
          << "run " << run << " of world " << seed;
      ASSERT_FALSE(is_ok && late > runtime::kAnswerLatenessMax)
          << "run " << run << " of world " << seed;
    }
  }
  EXPECT_GT(ok_count, request_count() / 10);
}

}  // namespace
}  // namespace millrace::sim
