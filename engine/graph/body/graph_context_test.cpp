#include "graph/body/graph_context.h"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph/body/message.h"
#include "graph/payload.h"
#include "graph/run/run_fixture.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

TEST(GraphContext, NowIsTheBeginOfTheInvocationAndKindsSayWhy) {
  std::vector<std::string> seen;
  TestTypes types;
  types.add_body("t.Look",
                 [&seen](const Invocation& invocation, GraphContext& context) -> base::Status {
                   const Duration before = context.now();
                   context.spend(2ms);
                   context.spend(-5ms);
                   EXPECT_EQ(context.now(), before);
                   EXPECT_EQ(context.inputs().size(), invocation.messages().size());
                   seen.push_back(base::format("{} {} {}",
                                               before.count() / 1000000,
                                               static_cast<int>(invocation.kind()),
                                               invocation.epoch()));
                   return {};
                 });
  run_graph({.lanes = {"t: {type: fixed_rate, period: 10ms}"},
             .components = {"id: a, type: t.Look, execution: {lane: t}",
                            "id: b, type: t.Look, event_sources: [{type: timer, period: 10ms}], "
                            "execution: {lane: t}"}},
            {.steps = 2},
            types);
  EXPECT_EQ(seen, (Strings{"0 0 1", "2 2 1", "10 0 2", "12 2 2"}));
}

TEST(GraphContext, G20_ReadsWithNamedReaders) {
  std::vector<std::string> seen;
  TestTypes types;
  types.add_body("t.Read",
                 [&seen](const Invocation& invocation, GraphContext& context) -> base::Status {
                   std::string all;
                   for (const Message& message : context.read("in", "a"))
                     all += message.value.to_json();
                   if (invocation.epoch() == 3) {
                     all += " ";
                     for (const Message& message : context.read("in", "late"))
                       all += message.value.to_json();
                   }
                   seen.push_back(all);
                   return {};
                 });
  run_graph({.components = {"id: s, type: core.counter, config: {count: 6, per_invocation: 2}, "
                            "execution: {lane: main}",
                            "id: r, type: t.Read, trigger_policy: {type: any_input, coalesce: "
                            "true}, execution: {lane: main}"},
             .edges = {"id: e, kind: immediate, from: s.out, to: r.in, policy: {mode: queue, "
                       "capacity: 3, readers: multi}"}},
            {},
            types);
  EXPECT_EQ(seen, (Strings{"12", "34", "56 456"}));
}

}  // namespace
}  // namespace millrace::graph
