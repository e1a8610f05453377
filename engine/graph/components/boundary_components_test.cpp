#include "graph/components/boundary_components.h"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"

namespace millrace::graph {
namespace {

RunText to_output(const std::string& source) {
  return {
      .components =
          {"id: s, " + source + ", execution: {lane: main}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}"},
      .edges = {
          "id: e, kind: immediate, from: s.out, to: o.in, policy: {mode: queue, capacity: 8}"}};
}

TEST(BoundaryComponents, G67_CounterAndValues) {
  EXPECT_EQ(values_and_epochs(run_graph(to_output(
                "type: core.counter, config: {count: 3, per_invocation: 2, start: 5, step: -2}"))),
            (Strings{"5@1", "3@1", "1@2"}));
  EXPECT_EQ(values_and_epochs(run_graph(to_output(
                "type: core.values, config: {values: [a, {b: 1}, null], per_invocation: 2}"))),
            (Strings{"\"a\"@1", "{\"b\":1}@1", "null@2"}));
  EXPECT_EQ(values(run_graph(
                to_output("type: core.counter, config: {count: 2, start: 9223372036854775807}"))),
            (Strings{"9223372036854775807", "-9223372036854775808"}));
}

TEST(BoundaryComponents, G67_ACounterGoesOnFromItsSnapshot) {
  RuntimeRunnerOptions options;
  options.snapshots =
      run_graph(to_output("type: core.counter, config: {count: 3}"), {.steps = 2}).snapshots;
  EXPECT_EQ(values(run_graph(to_output("type: core.counter, config: {count: 3}"), options)),
            (Strings{"3"}));
  options.snapshots = {{.component = "s", .state = Payload(true)}};
  EXPECT_EQ(run_graph(to_output("type: core.counter"), options).errors.front().code,
            "component_restore");
}

TEST(BoundaryComponents, G67_LinesOfStandardInputAreJsonValues) {
  const auto run_lines = [](std::vector<std::string> lines) {
    RuntimeRunnerOptions options;
    options.standard_input = [lines,
                              next = std::size_t{0}]() mutable -> std::optional<std::string> {
      if (next == lines.size()) return std::nullopt;
      return lines[next++];
    };
    return run_graph(to_output("type: core.stdin"), options);
  };
  EXPECT_EQ(values(run_lines({"1", "", "{\"a\":[2]}"})), (Strings{"1", "{\"a\":[2]}"}));
  EXPECT_EQ(run_lines({"1", "nonsense"}).errors.front().message.substr(0, 7), "Line 2:");
  EXPECT_TRUE(run_lines({}).ok);
}

TEST(BoundaryComponents, G67_InjectedValuesKeepTheirEventTime) {
  using namespace std::chrono_literals;
  RuntimeRunnerOptions options;
  options.injections = {{.at = 3ms, .component = "s", .value = Payload(std::string("x"))}};
  EXPECT_EQ(values_and_times(run_graph(to_output("type: core.input"), options)),
            (Strings{"\"x\"@3"}));
}

TEST(BoundaryComponents, G67_TableTakesOneEntryOrAnObjectOfSeveral) {
  RunText parts =
      to_output("type: core.values, config: {values: [{key: a, value: 1}, {b: 2, c: [3]}]}");
  parts.components[1] =
      "id: o, type: core.table, config: {table: t}, trigger_policy: {type: any_input}, execution: "
      "{lane: main}";
  const auto result = run_graph(parts);
  ASSERT_EQ(result.state.size(), 1U);
  std::string all;
  for (const StateEntry& entry : result.state.front().values)
    all += entry.key + entry.value.to_json() + " ";
  EXPECT_EQ(all, "a1 b2 c[3] ");
  EXPECT_EQ(result.state.front().epoch, 2U);
  parts.components[0] = "id: s, type: core.values, config: {values: [7]}, execution: {lane: main}";
  EXPECT_EQ(run_graph(parts).errors.front().message, "Not an object: 7");
}

TEST(BoundaryComponents, G67_WithAKeyTheWholeMessageIsTheValue) {
  const auto result = run_graph(
      {.components = {"id: s, type: core.counter, config: {count: 3}, execution: {lane: main}",
                      "id: o, type: core.table, config: {table: t, key: last}, trigger_policy: "
                      "{type: any_input}, execution: {lane: main}"},
       .edges = {"id: e, kind: immediate, from: s.out, to: o.in"}});
  ASSERT_EQ(result.state.size(), 1U) << "numbers are fine here";
  ASSERT_EQ(result.state.front().values.size(), 1U);
  EXPECT_EQ(result.state.front().values.front().key, "last");
  EXPECT_EQ(result.state.front().values.front().value.to_json(), "3");
}

}  // namespace
}  // namespace millrace::graph
