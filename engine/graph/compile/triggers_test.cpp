#include "graph/compile/triggers.h"

#include <chrono>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "graph/compile/compiled_graph.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Compiles `a.out → b.x` and `a.out → b.y`, where `b` says the given, and gives the trigger of
/// `b`.
TriggerPlan trigger_of(std::string_view fields) {
  GraphText graph;
  graph.source("a");
  graph.components.push_back(
      base::format("{{id: b, type: core.linear, execution: {{lane: main}}{}}}", fields));
  graph.edges = {
      "{id: e, kind: immediate, from: a.out, to: b.x, policy: {mode: queue, capacity: 4}}",
      "{id: f, kind: immediate, from: a.out, to: b.y, policy: {mode: queue, capacity: 4}}"};
  const CompiledGraph compiled = compile_good(graph.text());
  return compiled.components.size() == 2 ? compiled.components[1].trigger : TriggerPlan();
}

TEST(TriggersTest, DefaultsFollowFromWhatIsGiven) {
  EXPECT_TRUE(trigger_of("").is_manual());
  EXPECT_TRUE(trigger_of(", event_sources: [{type: manual}]").is_manual());
  const TriggerPlan by_source = trigger_of(", event_sources: [{type: message, inputs: [y]}]");
  EXPECT_EQ(by_source.type, TriggerType::kAnyInput);
  EXPECT_THAT(by_source.inputs, ElementsAre("y"));
  EXPECT_THAT(trigger_of(", trigger_policy: {type: all_inputs}").inputs, ElementsAre("x", "y"));
  EXPECT_THAT(trigger_of(", trigger_policy: {type: all_inputs, inputs: [y, x]}").inputs,
              ElementsAre("y", "x"));
  const TriggerPlan timer = trigger_of(", event_sources: [{type: timer, period: 5ms}]");
  EXPECT_TRUE(timer.has_timer);
  EXPECT_EQ(timer.timer_period, std::chrono::milliseconds(5));
  EXPECT_FALSE(timer.is_manual());
  EXPECT_THAT(timer.inputs, IsEmpty());
}

TEST(TriggersTest, G6_ABatchMustFitTheBuffersUnlessAWindowEndsIt) {
  trigger_of(", trigger_policy: {type: batch, batch_size: 8}");
  trigger_of(", trigger_policy: {type: batch, batch_size: 9, batch_window: 1ms}");
  GraphText graph;
  graph.source("a");
  graph.components.push_back(
      "{id: b, type: core.linear, execution: {lane: main}, trigger_policy: {type: batch, "
      "batch_size: 2}}");
  graph.edge("a", "b");
  EXPECT_THAT(diagnose(graph.text()),
              ElementsAre("trigger_never_ready components[1].trigger_policy.batch_size 7:99"));
}

}  // namespace
}  // namespace millrace::graph
