#include "graph/run/domain.h"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/runtime_runner.h"

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

}  // namespace
}  // namespace millrace::graph
