#include "plan/explain.h"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using std::chrono::microseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using ExplainTest = PlanFixture;

constexpr std::string_view kEmpty = R"("on_failure": {"use": "empty"})";

std::string ranked(std::string_view viewer, std::string_view follow) {
  return base::format(
      R"({{"id": "v", "op": "viewer", "params": {{"endpoint": "redis_default"}}{}}},
         {{"id": "f", "op": "follow", "inputs": ["v"], "params": {{"endpoint": "redis_default"}}{}}},
         {{"id": "s", "op": "vm", "inputs": ["f"], "params": {{"out_key": "score", "expr": "id * 0.5"}}}},
         {{"id": "t", "op": "take", "inputs": ["s"], "params": {{"count": 3}}}})",
      viewer,
      follow);
}

TEST_F(ExplainTest, CMP1_TextNamesPassesColumnsCostsAndVerdict) {
  const auto plan = compile(artifact(
      ranked("", R"(, "scheduling": {"cost_estimate_us": 900})"), R"("t")", R"(, "version": 3)"));
  const std::string text = PlanExplanation(*plan, registry_).to_text();
  EXPECT_THAT(text, HasSubstr("plan p version 3\ndigest sha256:"));
  EXPECT_THAT(text,
              HasSubstr("  f: follow (async, ~900 us)\n    reads: id\n    writes: parent_id\n"));
  EXPECT_THAT(text,
              HasSubstr("  s: vm (cpu, ~1 us)\n    reads: id\n    writes: score\n"
                        "    columns: id, parent_id, score\n"));
  EXPECT_THAT(text, HasSubstr("strands: at most one offload: s > t\n"));
  EXPECT_THAT(text,
              HasSubstr("critical path (estimated, 100 rows per node): v > f > s > t = 1901 us"));
  EXPECT_THAT(text, HasSubstr("always answers: no; these nodes can fail it: v, f\n"));
}

TEST_F(ExplainTest, P1_EachNodeSaysItsPriorityAndTheWayToTheEnd) {
  const auto plan = compile(artifact(
      R"({"id": "a", "op": "fixed_source", "scheduling": {"cost_estimate_us": 100}},
         {"id": "b", "op": "fixed_source", "scheduling": {"cost_estimate_us": 30}, "priority": "low"},
         {"id": "c", "op": "concat", "inputs": ["a", "b"], "scheduling": {"cost_estimate_us": 7}},
         {"id": "d", "op": "take", "inputs": ["b"], "params": {"count": 3}, "scheduling": {"cost_estimate_us": 90}})",
      R"("c", "d")"));
  EXPECT_THAT(estimate_time_to_end(*plan),
              ElementsAre(microseconds(107), microseconds(120), microseconds(7), microseconds(90)));
  const std::string text = PlanExplanation(*plan, registry_).to_text();
  EXPECT_THAT(text, HasSubstr("    priority: that of the request, ~107 us to the end\n"));
  EXPECT_THAT(text, HasSubstr("    priority: low, ~120 us to the end\n"));
}

TEST_F(ExplainTest, REQ7_APlanAlwaysAnswersIfEveryNodeThatCanFailHasAFallback) {
  const std::string fallback = ", " + std::string(kEmpty);
  EXPECT_THAT(nodes_that_can_fail(*compile(artifact(ranked(fallback, fallback), R"("t")"))),
              IsEmpty());
  EXPECT_THAT(nodes_that_can_fail(*compile(artifact(ranked(fallback, ""), R"("t")"))),
              ElementsAre(1U));
}

TEST_F(ExplainTest, REQ7_AFallbackThatCanFailCounts) {
  const auto plan = compile(artifact(
      R"({"id": "b", "op": "viewer", "params": {"endpoint": "redis_default"}},
         {"id": "v", "op": "viewer", "params": {"endpoint": "redis_default"},
          "on_failure": {"use": "node", "id": "b"}})",
      R"("v")"));
  EXPECT_THAT(nodes_that_can_fail(*plan), ElementsAre(0U));
}

TEST_F(ExplainTest, REQ7_ARowErrorThatFailsTheNodeCounts) {
  const auto plan = compile(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "t", "op": "filter", "inputs": ["s"], "params": {"pred": "id * 2 > 1"}, "on_row_error": "fail"})",
      R"("t")"));
  EXPECT_THAT(nodes_that_can_fail(*plan), ElementsAre(1U));
}

TEST_F(ExplainTest, JsonSaysTheSame) {
  const auto plan = compile(artifact(ranked("", ""), R"("t")"));
  std::string text;
  base::JsonWriter writer(text);
  PlanExplanation(*plan, registry_).write_json(writer);
  const auto json = base::read_json(text);
  ASSERT_TRUE(json) << text;
  const base::JsonValue root = json->root();
  EXPECT_EQ(root.find_member("name")->find_string(), "p");
  EXPECT_EQ(root.find_member("nodes")->size(), 4U);
  EXPECT_EQ(root.find_member("critical_path")->find_member("cost_us")->find_int(), 2001);
  EXPECT_EQ(root.find_member("always_answers")->find_member("is")->find_bool(), false);
  EXPECT_EQ(root.find_member("always_answers")->find_member("failing_nodes")->size(), 2U);
}

}  // namespace
}  // namespace millrace::plan
