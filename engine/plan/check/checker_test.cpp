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

TEST_F(CheckerTest, OutputKeysStartWithTheIdAndDefaultToWhatTheRowsHave) {
  const std::string fan_out = std::string(kViewer) + "," + std::string(kFollow);
  EXPECT_THAT(compile(artifact(fan_out, R"("f")"))->output_keys, ElementsAre("id", "parent_id"));
  EXPECT_THAT(
      compile(artifact(fan_out, R"("f")", R"(, "output_keys": ["name", "id"])"))->output_keys,
      ElementsAre("id", "name"));
  // A viewer, filtered or not, gives the registered fields.
  const auto all = compile(artifact(
      std::string(kViewer) +
          R"(, {"id": "t", "op": "filter", "inputs": ["v"], "params": {"pred": "id > 5"}})",
      R"("t")"));
  EXPECT_EQ(all->output_keys.size(), 11U);
  EXPECT_EQ(all->nodes[0].fetched_keys.size(), 10U);
}

}  // namespace
}  // namespace millrace::plan
