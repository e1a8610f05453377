#include "graph/run/domain.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/format.h"
#include "base/result.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"
#include "graph/watch/graph_event.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

TEST(Domain, G32_RegionsRunInTheirOrder) {
  std::string order;
  TestTypes types;
  for (const char* name : {"a", "b", "c"}) {
    types.add_body(base::format("t.{}", name),
                   [&order, name](const Invocation&, GraphContext& context) -> base::Status {
                     order += name;
                     context.publish("out", Payload(true));
                     return {};
                   });
  }
  // c has the highest class but needs b.
  run_graph({.components = {"id: a, type: t.a, execution: {lane: main, priority: low}",
                            "id: b, type: t.b, execution: {lane: main}",
                            "id: c, type: t.c, trigger_policy: {type: any_input}, execution: "
                            "{lane: main, priority: high}"},
             .edges = {"id: e, kind: immediate, from: b.out, to: c.in"}},
            {.steps = 2},
            types);
  EXPECT_EQ(order, "bcabca");
}

TEST(Domain, G57_CommitsOfAStageAreAppliedAtItsEnd) {
  // x and y are in one stage; z sees both, although y alone would be ready earlier.
  const auto result = run_graph(
      {.components =
           {"id: x, type: core.counter, config: {count: 1}, execution: {lane: main}",
            "id: y, type: core.counter, config: {count: 1, start: 9}, execution: {lane: main}",
            "id: z, type: core.collect, trigger_policy: {type: batch, batch_size: 2}, execution: "
            "{lane: main}",
            "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}"},
       .edges = {"id: ey, kind: immediate, from: y.out, to: z.y",
                 "id: ex, kind: immediate, from: x.out, to: z.x",
                 "id: eo, kind: immediate, from: z.out, to: o.in"}});
  EXPECT_EQ(values(result), (Strings{"[1,9]"})) << "in region order, not in order of edges";
}

TEST(Domain, G20_PreviousTickIsReadInTheNextEpoch) {
  const auto result = run_graph(
      {.components =
           {"id: s, type: core.counter, config: {count: 2}, execution: {lane: main}",
            "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}"},
       .edges = {"id: e, kind: immediate, from: s.out, to: o.in, policy: {mode: previous_tick}"}});
  EXPECT_EQ(values_and_epochs(result), (Strings{"1@2", "2@3"}));
}

TEST(Domain, ASlowIsolatedLaneNeverDelaysMain) {
  const auto result = run_graph(
      {.lanes = {"t: {type: fixed_rate, period: 10ms, wall_clock_enabled: true}",
                 "slow: {type: isolated_thread}"},
       .components =
           {"id: s, type: core.counter, execution: {lane: t}",
            "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: t}",
            "id: w, type: core.spend, config: {cost: 95ms}, trigger_policy: {type: any_input}, "
            "execution: {lane: slow}"},
       .edges = {"id: so, kind: immediate, from: s.out, to: o.in",
                 "id: sw, kind: async, from: s.out, to: w.in"}},
      {.duration = 50ms});
  EXPECT_EQ(values_and_times(result), (Strings{"1@0", "2@10", "3@20", "4@30", "5@40"}));
  EXPECT_EQ(result.metric("runtime.component.execution_count", "w"), 1);
}

TEST(Domain, AnEpochThatFailsIsCountedAndItsSpanEnds) {
  const auto result = run_graph(
      {.components = {"id: s, type: core.counter, execution: {lane: main}",
                      "id: i, type: core.input, execution: {lane: main}",
                      "id: c, type: core.collect, trigger_policy: {type: all_inputs, inputs: [a, "
                      "b]}, execution: {lane: main}"},
       .edges = {"id: ea, kind: immediate, from: s.out, to: c.a, policy: {overflow: fail_fast}",
                 "id: eb, kind: immediate, from: i.out, to: c.b"}},
      {.steps = 5, .trace = true});
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().code, "channel_overflow");
  EXPECT_EQ(result.epochs.front().epochs, 2U);
  EXPECT_EQ(result.metric("runtime.scheduler.tick_count", "main"), 2);
  for (const GraphEventName name : {GraphEventName::kSchedulerIterationBegin,
                                    GraphEventName::kSchedulerIteration,
                                    GraphEventName::kSchedulerIterationEnd}) {
    EXPECT_EQ(std::ranges::count(result.events, name, &GraphEvent::name), 2);
  }
}

TEST(Domain, G47_ANewInstanceBeginsAtABoundary) {
  const auto result = run_graph(
      {.components =
           {"id: s, type: core.counter, config: {count: 2}, execution: {lane: main}",
            "id: x, type: core.spend, config: {cost: 2ms}, trigger_policy: {type: any_input}, "
            "execution: {lane: main}",
            "id: w, type: core.fail, config: {fail_at: [1]}, trigger_policy: {type: any_input}, "
            "execution: {lane: main, on_error: {restart: {max: 1, window: 1ms, backoff: 1ms}}}"},
       .edges = {"id: sx, kind: immediate, from: s.out, to: x.in",
                 "id: sw, kind: immediate, from: s.out, to: w.in"}},
      {.trace = true});
  // w fails at 2 ms. Its turn in the second epoch comes at 4 ms, but that epoch began at 2 ms.
  Strings runs;
  for (const GraphEvent& event : result.events) {
    if (event.name != GraphEventName::kComponentExecute || event.component != 2) continue;
    runs.push_back(base::format("{}@{}", event.epoch, event.time / 1ms));
  }
  EXPECT_EQ(runs, (Strings{"1@2", "3@4"}));
}

TEST(Domain, G47_AFreeRunningComponentInItsBackoffLetsTimePass) {
  int calls = 0;
  TestTypes types;
  types.add_body("t.once", [&calls](const Invocation&, GraphContext& context) -> base::Status {
    if (++calls == 1) return base::fail(base::ErrorCode::kUnavailable, "not yet");
    context.finish();
    return {};
  });
  const auto result =
      run_graph({.components = {"id: s, type: t.once, trigger_policy: {type: manual}, execution: "
                                "{lane: main, on_error: {restart: {max: 3, window: 1s, backoff: "
                                "5ms}}}"}},
                {},
                types);
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.epochs.front().epochs, 2U);
  EXPECT_EQ(result.time, Duration(5ms));
}

/// Fails its first call; its second instance may fail to be made.
RuntimeRunnerResult run_restart(std::uint64_t steps, int& made, bool fails_again) {
  TestTypes types;
  types.add("t.weak", [&made, fails_again]() -> std::unique_ptr<Component> {
    ++made;
    if (made > 1 && fails_again) return nullptr;
    return std::make_unique<FunctionComponent>(
        [](const Invocation&, GraphContext&) -> base::Status {
          return base::fail(base::ErrorCode::kUnavailable, "gone");
        });
  });
  return run_graph({.lanes = {"tick: {type: fixed_rate, period: 10ms}"},
                    .components = {"id: s, type: t.weak, trigger_policy: {type: manual}, "
                                   "execution: {lane: tick, on_error: {restart: {max: 9, window: "
                                   "1s, backoff: 15ms}}}"}},
                   {.steps = steps},
                   types);
}

TEST(Domain, G47_TheNewInstanceIsNotMadeBeforeTheBackoff) {
  int made = 0;
  EXPECT_TRUE(run_restart(2, made, false).ok);
  EXPECT_EQ(made, 1) << "at 10 ms";
  made = 0;
  EXPECT_TRUE(run_restart(3, made, false).ok);
  EXPECT_EQ(made, 2) << "at 20 ms";
}

TEST(Domain, G47_AnInstanceThatCannotBeMadeFailsTheRun) {
  int made = 0;
  const auto result = run_restart(9, made, true);
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().code, "component_configure");
  EXPECT_EQ(result.epochs.front().epochs, 3U);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kError);
}

}  // namespace
}  // namespace millrace::graph
