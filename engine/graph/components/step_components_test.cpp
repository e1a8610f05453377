#include "graph/components/step_components.h"

#include <string>

#include <gtest/gtest.h>

#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"

namespace millrace::graph {
namespace {

RunText through(const std::string& input, const std::string& step) {
  return {.lanes = {"t: {type: fixed_rate, period: 250ms}"},
          .components =
              {"id: s, type: core.values, config: {values: " + input + "}, execution: {lane: t}",
               "id: w, " + step + ", trigger_policy: {type: any_input}, execution: {lane: t}",
               "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: t}"},
          .edges = {
              "id: a, kind: immediate, from: s.out, to: w.in, policy: {mode: queue, capacity: 8}",
              "id: b, kind: immediate, from: w.out, to: o.in, policy: {mode: queue, capacity: 8}"}};
}

TEST(StepComponents, G67_LinearKeepsIntegers) {
  EXPECT_EQ(
      values(run_graph(through("[3, 1.5]", "type: core.linear, config: {factor: 2, offset: 1}"))),
      (Strings{"7", "4"}));
  EXPECT_EQ(values(run_graph(through("[3]", "type: core.linear, config: {factor: 0.5}"))),
            (Strings{"1.5"}));
  EXPECT_EQ(
      values(run_graph(through("[9223372036854775807]", "type: core.linear, config: {factor: 2}"))),
      (Strings{"18446744073709551616"}));
  EXPECT_EQ(run_graph(through("[text]", "type: core.linear")).errors.front().message,
            "Not a number: \"text\"");
}

TEST(StepComponents, G67_CollectFailsBeforeItsArraysAreTooDeep) {
  EXPECT_EQ(values(run_graph(through("[1, 2]", "type: core.collect"))), (Strings{"[1]", "[2]"}));
  RunText parts = through("[1]", "type: core.collect");
  parts.edges.push_back("id: back, kind: delay, from: w.out, to: w.in");
  const auto result = run_graph(parts, {.steps = 100});
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().message, "Arrays are nested more than 64 deep");
}

TEST(StepComponents, G67_SpendRepeatsTheLastCost) {
  EXPECT_EQ(values_and_times(
                run_graph(through("[1, 2, 3]", "type: core.spend, config: {costs: [5ms, 1ms]}"))),
            (Strings{"1@5", "2@251", "3@501"}));
}

TEST(StepComponents, G67_FailCountsCallsOfItsInstance) {
  const auto result = run_graph(through("[1, 2]", "type: core.fail, config: {fail_at: [2]}"));
  EXPECT_EQ(values(result), (Strings{"1"}));
  EXPECT_EQ(result.errors.front().message, "failed as configured");
}

TEST(StepComponents, G67_RelaxApproachesItsTarget) {
  EXPECT_EQ(
      values(run_graph(through("[0, 0, 0]", "type: core.relax, config: {start: 16, target: 0}"))),
      (Strings{"8", "4", "2"}));
}

TEST(StepComponents, G67_MeterCountsOverItsWindow) {
  EXPECT_EQ(values(run_graph(through("[0, 0, 0, 0]", "type: core.meter, config: {window: 500ms}"))),
            (Strings{"2", "4", "4", "4"}));
  EXPECT_EQ(
      run_graph(through("[0]", "type: core.meter, config: {window: 0ms}")).errors.front().code,
      "component_configure");
}

}  // namespace
}  // namespace millrace::graph
