#include "graph/components/top_counts_component.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_options.h"
#include "graph/run/runtime_runner.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

/// A counter of views behind an input, and a tick.
RunText counting(const std::string& config) {
  return {.components = {"id: view, type: core.input, execution: {lane: main}",
                         "id: clock, type: core.input, execution: {lane: main}",
                         "id: counts, type: core.top_counts, trigger_policy: {type: any_input, "
                         "inputs: [view, tick]}, config: {" +
                             config + "}, execution: {lane: main}",
                         "id: o, type: core.output, trigger_policy: {type: any_input}, execution: "
                         "{lane: main}"},
          .edges = {"id: e1, kind: immediate, from: view.out, to: counts.view, policy: {mode: "
                    "queue, capacity: 64}",
                    "id: e2, kind: immediate, from: clock.out, to: counts.tick, policy: {mode: "
                    "queue, capacity: 64}",
                    "id: e3, kind: immediate, from: counts.out, to: o.in, policy: {mode: queue, "
                    "capacity: 64}"}};
}

TimedInjection view_at(Duration at, const std::string& json) {
  return {.at = at, .component = "view", .value = *Payload::parse(json)};
}
TimedInjection tick_at(Duration at) {
  return {.at = at, .component = "clock", .value = Payload(std::int64_t{0})};
}

TEST(TopCounts, G67_CountsByAFieldAndPublishesTheLargestFirst) {
  const auto result = run_graph(counting("by: item, top: 2"),
                                {.injections = {view_at(0ms, R"({"item": 7})"),
                                                view_at(1ms, R"({"item": "b"})"),
                                                view_at(2ms, R"({"item": "b"})"),
                                                view_at(3ms, R"({"item": 3})"),
                                                view_at(4ms, R"({"other": 3})"),
                                                view_at(5ms, R"({"item": null})")}});
  ASSERT_EQ(result.outputs.size(), 6U);
  EXPECT_EQ(result.outputs[2].value.to_json(), R"({"b":2,"7":1})");
  EXPECT_EQ(result.outputs[3].value.to_json(), R"({"b":2,"3":1})") << "equal counts: by key";
  EXPECT_EQ(result.outputs[5].value.to_json(), R"({"b":2,"3":1})")
      << "messages without the field count for nothing";
}

TEST(TopCounts, G67_WhatIsOlderThanTheWindowNoLongerCounts) {
  const auto result = run_graph(
      counting("window: 60s"),
      {.injections = {
           view_at(0s, "1"), view_at(30s, "2"), tick_at(59s), tick_at(60s), tick_at(90s)}});
  EXPECT_EQ(values(result),
            (Strings{R"({"1":1})", R"({"1":1,"2":1})", R"({"1":1,"2":1})", R"({"2":1})", "{}"}));
}

TEST(TopCounts, G67_KeysAreBoundedAndRoomIsUsedAgain) {
  const auto result = run_graph(
      counting("window: 60s, keys_max: 2"),
      {.injections = {view_at(0s, "1"), view_at(1s, "2"), view_at(2s, "3"), view_at(62s, "3")}});
  EXPECT_EQ(values(result),
            (Strings{R"({"1":1})", R"({"1":1,"2":1})", R"({"1":1,"2":1})", R"({"3":1})"}));
}

TEST(TopCounts, AWindowOfNothingIsRefused) {
  const auto result = run_graph(counting("window: 0ms"));
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().phase, "configure");
  EXPECT_EQ(result.errors.front().message, "The window must be at least 60ns long");
}

}  // namespace
}  // namespace millrace::graph
