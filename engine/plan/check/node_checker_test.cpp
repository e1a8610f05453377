#include "plan/check/node_checker.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/compiled_expr.h"
#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using NodeCheckerTest = PlanFixture;

TEST_F(NodeCheckerTest, AnExpressionGetsTheTypeOfTheKeyItIsWrittenTo) {
  const auto plan = compile(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "t", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "id"}})",
      R"("t")"));
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(std::get<expr::CompiledExprRef>(node(*plan, "t").param("expr"))->type(),
            rows::ColumnType::kFloat64);
}

TEST_F(NodeCheckerTest, ART6_AnExpressionErrorPointsIntoTheText) {
  const ProblemReport report = problems(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "t", "op": "filter", "inputs": ["s"], "params": {"pred": "id > 1 and scroe > 2"}})",
      R"("t")"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_EQ(report.problems()[0].code, ProblemCode::kUnknownKey);
  EXPECT_EQ(report.problems()[0].path, "nodes[1].params.pred");
  EXPECT_THAT(report.problems()[0].message, testing::HasSubstr("at 1:12 of the expression"));
}

TEST_F(NodeCheckerTest, REG6_ReadingADeprecatedKeyIsAWarning) {
  const auto plan = compile(artifact(
      std::string(kViewer) +
          R"(, {"id": "t", "op": "filter", "inputs": ["v"], "params": {"pred": "old_score > 1.0"}})",
      R"("t")",
      R"(, "output_keys": ["id"])"));
  ASSERT_NE(plan, nullptr);
  EXPECT_THAT(
      plan->warnings,
      testing::ElementsAre("node 't' reads the deprecated key 'old_score'; use 'score' instead"));
}

TEST_F(NodeCheckerTest, REG6_ADeprecatedEndpointIsAWarning) {
  const auto plan = compile(
      artifact(R"({"id": "v", "op": "viewer", "params": {"endpoint": "redis_old"}})", R"("v")"));
  ASSERT_NE(plan, nullptr);
  EXPECT_THAT(
      plan->warnings,
      testing::ElementsAre(
          "node 'v' reads the deprecated endpoint 'redis_old'; use 'redis_default' instead"));
}

TEST_F(NodeCheckerTest, AProblemOfAnotherNameDoesNotBlameAKeyOfTheSameName) {
  // `$likes` is no param; that `likes` is a key which is not available here is beside the point.
  const ProblemReport report = problems(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "t", "op": "filter", "inputs": ["s"], "params": {"pred": "id > $likes"}})",
      R"("t")"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_EQ(report.problems()[0].code, ProblemCode::kUnknownName);
}

}  // namespace
}  // namespace millrace::plan
