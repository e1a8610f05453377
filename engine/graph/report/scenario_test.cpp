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

TEST(Scenario, G74_StateTablesCanBeExpected) {
  const RunText table{
      .components = {"id: i, type: core.input, execution: {lane: main}",
                     "id: t, type: core.table, config: {table: seen, key: last}, trigger_policy: "
                     "{type: any_input}, execution: {lane: main}"},
      .edges = {"id: e, kind: immediate, from: i.out, to: t.in, policy: {mode: queue, capacity: "
                "8}"}};
  const auto outcome = [&table](const std::string& state) {
    const auto scenario = read_scenario(
        "graph: g\ninject: [{component: i, value: {a: 1}}]\nexpect_state: {seen: {" + state + "}}");
    return judge(TestTypes().compile(table.text()), *scenario, run_graph(table, scenario->options));
  };
  EXPECT_TRUE(outcome("last: {a: 1}").ok);
  EXPECT_EQ(outcome("last: {a: 2}").missing, (Strings{R"(state last of table seen = {"a":2})"}));
  EXPECT_EQ(outcome("last: {a: 2}").unexpected, (Strings{R"(state last of table seen = {"a":1})"}));
  EXPECT_EQ(outcome("first: 1").unexpected, (Strings{"state first of table seen = nothing"}));
}

TEST(Scenario, G74_AStandInTakesThePlaceOfASourceOutside) {
  const RunText counter{
      .components =
          {"id: i, type: core.counter, config: {count: 3}, execution: {lane: main}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}"},
      .edges = {"id: e, kind: immediate, from: i.out, to: o.in, policy: {mode: queue, capacity: "
                "8}"}};
  ComponentRegistry types = builtin_registry();
  const auto read = [](const std::string& name) {
    return *read_scenario("graph: g\nstand_ins: [" + name +
                          "]\ninject: [{component: i, value: 9}]\n");
  };
  GraphFile file(counter.text(), TextFormat::kYaml, {});
  const Scenario scenario = read("i");
  ASSERT_TRUE(use_stand_ins(scenario, types, file));
  const CompileResult compiled = compile_graph(std::move(file), types);
  ASSERT_TRUE(compiled.graph) << compiled.report.to_text("graph");
  RuntimeRunnerOptions options = scenario.options;
  options.keep_outputs = true;
  EXPECT_EQ(values(RuntimeRunner::run(*compiled.graph, types, options)), (Strings{"9"}));

  GraphFile other(counter.text(), TextFormat::kYaml, {});
  EXPECT_EQ(use_stand_ins(read("x"), types, other).error().message(),
            "'stand_ins' names a component that is not there: x");
  EXPECT_EQ(use_stand_ins(read("o"), types, other).error().message(),
            "Only an input boundary can have a stand-in, and 'o' is none");
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
  EXPECT_EQ(mistake("graph: g\nstand_ins: [[]]\n"), "2:13");
  EXPECT_EQ(mistake("graph: g\nexpect_state: {a: 1}\n"), "2:19");
  EXPECT_EQ(mistake("graph: {"), "1:9");
}

}  // namespace
}  // namespace millrace::graph
