#include "plan/check/checker.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;

using CheckerTest = PlanFixture;

TEST_F(CheckerTest, KeysFlowThroughTheNodesThatWriteThem) {
  const std::string nodes =
      R"({"id": "s", "op": "fixed_source"},
         {"id": "a", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "id * 1.0"}},
         {"id": "t", "op": "filter", "inputs": ["a"], "params": {"pred": "score > 1.0"}})";
  EXPECT_NE(compile(artifact(nodes, R"("t")")), nullptr);
}

TEST_F(CheckerTest, NothingIsSaidOfWhatDependsOnSomethingUnknown) {
  const ProblemReport report = problems(artifact(
      R"({"id": "x", "op": "nothing"},
         {"id": "t", "op": "filter", "inputs": ["x"], "params": {"pred": "score > 1.0 and viewer.age > 1"}},
         {"id": "v", "op": "viewer", "params": {"endpoint": "redis_default"}})",
      R"("t")",
      R"(, "output_keys": ["likes"])"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_EQ(report.problems()[0].code, ProblemCode::kUnknownOp);
}

TEST_F(CheckerTest, ANodeThatHasTheViewerAsInputNeedNotWaitForItTwice) {
  const auto plan = compile(artifact(
      std::string(kViewer) +
          R"(, {"id": "t", "op": "filter", "inputs": ["v"], "params": {"pred": "id == viewer.id"}})",
      R"("t")"));
  EXPECT_TRUE(node(*plan, "t").waits_for.empty());
  EXPECT_EQ(plan->viewer_node, 0U);
}

TEST_F(CheckerTest, E8_OutputKeysStartWithTheIdAndDefaultToWhatTheRowsHave) {
  const std::string fan_out = std::string(kViewer) + "," + std::string(kFollow);
  EXPECT_THAT(compile(artifact(fan_out, R"("f")"))->output_keys, ElementsAre("id", "parent_id"));
  EXPECT_THAT(
      compile(artifact(fan_out, R"("f")", R"(, "output_keys": ["parent_id", "id"])"))->output_keys,
      ElementsAre("id", "parent_id"));
  // A viewer, filtered or not, gives the registered fields.
  const auto all = compile(artifact(
      std::string(kViewer) +
          R"(, {"id": "t", "op": "filter", "inputs": ["v"], "params": {"pred": "id > 5"}})",
      R"("t")"));
  EXPECT_THAT(all->output_keys,
              ElementsAre("id", "age", "country", "likes", "name", "old_score", "verified"));
  EXPECT_EQ(all->nodes[0].fetched_keys.size(), 6U);
  EXPECT_THAT(all->output_key_is_offered, ElementsAre(false, true, true, true, true, true, true));
}

TEST_F(CheckerTest, E8_DefaultOutputKeysFollowOneRuleForEveryShapeOfPlan) {
  const std::string start =
      std::string(kViewer) + "," + std::string(kFollow) +
      R"(, {"id": "h", "op": "hydrate", "inputs": ["f"], "params": {"endpoint": "redis_default", "prefix": "user"}},
          {"id": "s", "op": "vm", "inputs": ["h"], "params": {"out_key": "score", "expr": "id * 1.0"}})";
  const auto keys = [&](std::string_view last) {
    return compile(artifact(start + std::string(last), R"("last")"))->output_keys;
  };
  const auto filtered =
      keys(R"(, {"id": "last", "op": "filter", "inputs": ["s"], "params": {"pred": "id > 5"}})");
  EXPECT_THAT(
      filtered,
      ElementsAre(
          "id", "age", "country", "likes", "name", "old_score", "parent_id", "score", "verified"));
  // A task that is no filter or order gives the same.
  EXPECT_EQ(keys(R"(, {"id": "last", "op": "sample", "inputs": ["s"], "params": {"count": 3}})"),
            filtered);
  // After another change of entity nothing of it is left.
  EXPECT_THAT(keys(R"(, {"id": "last", "op": "media", "inputs": ["s"],
                        "params": {"endpoint": "redis_default", "carry": ["score"]}})"),
              ElementsAre("id", "parent_id", "score"));
}

}  // namespace
}  // namespace millrace::plan
