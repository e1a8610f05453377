#include "graph/report/scenario.h"

#include <string>

#include <gtest/gtest.h>

#include "graph/run/run_fixture.h"

namespace millrace::graph {
namespace {

const RunText kEcho{
    .components =
        {"id: i, type: core.input, execution: {lane: main}",
         "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}"},
    .edges = {"id: e, kind: immediate, from: i.out, to: o.in, policy: {mode: queue, capacity: 8}"}};

ScenarioOutcome play(const std::string& expectations) {
  const auto scenario = read_scenario(
      "graph: g.yaml\ninject:\n  - {component: i, value: 1}\n  - {at: 5ms, component: i, value: "
      "[2]}\n" +
      expectations);
  EXPECT_TRUE(scenario) << scenario.error().to_string();
  if (!scenario) return {};
  RuntimeRunnerOptions options = scenario->options;
  return judge(TestTypes().compile(kEcho.text()), *scenario, run_graph(kEcho, options));
}

TEST(Scenario, G74_GoodOnesPass) {
  EXPECT_TRUE(play("expect: [{component: o, value: [2], epoch: 2}]").ok);
  EXPECT_TRUE(
      play("expect_exactly: [{component: o, value: 1.0}, {component: o, value: [2], time: 5ms}]\n"
           "expect_metrics: {runtime.component.execution_count: {i: 2}, "
           "runtime.publication.committed: 2}")
          .ok);
}

TEST(Scenario, G74_DifferencesAreListed) {
  const ScenarioOutcome order =
      play("expect: [{component: o, value: [2]}, {component: o, value: 1}]");
  EXPECT_EQ(order.missing, (Strings{"o 1"}));
  const ScenarioOutcome exact = play(
      "expect_exactly: [{component: o, value: 1}, {component: o, value: 3, epoch: 2, time: 5ms}]");
  EXPECT_EQ(exact.missing, (Strings{"o 3 in epoch 2 at 5ms"}));
  EXPECT_EQ(exact.unexpected, (Strings{"o [2] in epoch 2 at 5ms"}));
  const ScenarioOutcome metric =
      play("expect_metrics: {runtime.component.execution_count: {i: 3}}");
  EXPECT_EQ(metric.missing, (Strings{"runtime.component.execution_count of i = 3"}));
  EXPECT_EQ(metric.unexpected, (Strings{"runtime.component.execution_count of i = 2"}));
}

TEST(Scenario, G74_MistakesInTheFileAreNamedWithTheirPlace) {
  const auto mistake = [](const std::string& text) {
    const auto scenario = read_scenario(text);
    return scenario ? std::string("fine") : scenario.error().where();
  };
  EXPECT_EQ(mistake("graph: g\nexpekt: []\n"), "2:9");
  EXPECT_EQ(mistake("options: {}\n"), "1:1");
  EXPECT_EQ(mistake("graph: g\noptions: {steps: many}\n"), "2:18");
  EXPECT_EQ(mistake("graph: g\ninject: [{component: x}]\n"), "2:10");
  EXPECT_EQ(mistake("graph: g\ninject: [{component: x, value: 1, at: soon}]\n"), "2:39");
  EXPECT_EQ(mistake("graph: g\nexpect: [3]\n"), "2:10");
  EXPECT_EQ(mistake("graph: g\nexpect: []\nexpect_exactly: []\n"), "1:1");
  EXPECT_EQ(mistake("graph: g\nexpect_metrics: {a: b}\n"), "2:21");
  EXPECT_EQ(mistake("graph: {"), "1:9");
}

}  // namespace
}  // namespace millrace::graph
