#include "plan/check/resolver.h"

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

using ResolverTest = PlanFixture;

TEST_F(ResolverTest, NodesStandBehindWhatTheyNeedElseInTheOrderOfTheArtifact) {
  const auto plan =
      compile(artifact(
                  R"({"id": "t", "op": "take", "inputs": ["b"], "params": {"count": 1}},
         {"id": "a", "op": "fixed_source"},
         {"id": "b", "op": "fixed_source", "on_failure": {"use": "node", "id": "c"}},
         {"id": "c", "op": "fixed_source"})",
                  R"("t")"),
              CompileOptions::without_passes());
  EXPECT_THAT(ids(*plan), ElementsAre("a", "c", "b", "t"));
  EXPECT_THAT(plan->outputs, ElementsAre(3U));
}

TEST_F(ResolverTest, ART6_ACycleIsNamed) {
  const ProblemReport report = problems(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "a", "op": "concat", "inputs": ["s", "c"]},
         {"id": "b", "op": "take", "inputs": ["a"], "params": {"count": 1}},
         {"id": "c", "op": "take", "inputs": ["b"], "params": {"count": 1}},
         {"id": "behind", "op": "take", "inputs": ["c"], "params": {"count": 1}})",
      R"("behind")"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_EQ(report.problems()[0].message, "Nodes wait for each other: a needs c needs b needs a");
}

TEST_F(ResolverTest, ADanglingSlotIsExplained) {
  const ProblemReport report = problems(artifact(
      R"({"id": "s", "op": "fixed_source", "outputs": ["rows"]},
         {"id": "t", "op": "take", "inputs": ["s"], "params": {"count": 1}})",
      R"("t")"));
  ASSERT_EQ(report.problems().size(), 1U);
  EXPECT_EQ(report.problems()[0].hint, "node 's' gives 'rows'");
}

TEST_F(ResolverTest, AnOutputMayBeASlotOrANode) {
  const std::string nodes = R"({"id": "s", "op": "fixed_source", "outputs": ["rows"]})";
  EXPECT_NE(compile(artifact(nodes, R"("s")")), nullptr);
  EXPECT_NE(compile(artifact(nodes, R"("rows")")), nullptr);
}

TEST_F(ResolverTest, ReorderKeepsEveryReference) {
  CompiledPlan plan;
  plan.nodes.resize(3);
  plan.nodes[2].inputs = {NodeInput{.node = 0}};
  plan.nodes[2].waits_for = {0};
  plan.nodes[2].fallback_node = 0;
  plan.outputs = {2};
  plan.viewer_node = 0;
  reorder(plan, {0, 2});
  EXPECT_EQ(plan.nodes.size(), 2U);
  EXPECT_THAT(plan.outputs, ElementsAre(1U));
  EXPECT_EQ(std::get<NodeInput>(plan.nodes[1].inputs[0]).node, 0U);
  EXPECT_THAT(plan.nodes[1].waits_for, ElementsAre(0U));
  EXPECT_EQ(plan.nodes[1].fallback_node, 0U);
}

}  // namespace
}  // namespace millrace::plan
