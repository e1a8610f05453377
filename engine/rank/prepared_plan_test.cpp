#include "rank/prepared_plan.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_fixture.h"

namespace millrace::rank::testing {
namespace {

using ::testing::ElementsAre;

TEST(PreparedPlanTest, ParamsHaveTheirRegisteredDefaults) {
  RankRig rig;
  const LoadedPlan& plan = rig.load(plan_text(
      source_node(1) + node("s",
                            "vm",
                            "src",
                            R"({"out_key": "score", "expr": "coalesce($weight, 0.5) + $floor"})"),
      R"(["s"])",
      R"(["id", "score"])"));
  ASSERT_EQ(plan.default_params().size(), 2U);
  for (std::size_t index = 0; index < 2; ++index) {
    const bool is_floor = plan.plan().params[index].name == "floor";
    EXPECT_EQ(plan.default_params()[index],
              is_floor ? rows::Value(std::int64_t{2}) : rows::Value());
  }
}

TEST(PreparedPlanTest, WhatNoRequestChangesIsBoundAtLoad) {
  RankRig rig;
  const LoadedPlan& plan = rig.load(plan_text(
      source_node(1) + node("a", "vm", "src", R"({"out_key": "score", "expr": "id * 0.5"})") +
          node("b", "vm", "a", R"({"out_key": "boost", "expr": "score * $req.user_id"})") +
          node("c", "filter", "b", R"j({"pred": "id < now()"})j"),
      R"(["c"])",
      R"(["id", "score", "boost"])"));
  std::string bound;
  for (const PlanNode& node : plan.nodes()) {
    for (const PlanExpr& expr : node.exprs) {
      if (expr.bound) bound += node.prepared.node->id;
    }
  }
  EXPECT_EQ(bound, "a");
}

TEST(PreparedPlanTest, OutputColumnsAreThoseOfEveryOutput) {
  RankRig rig;
  const LoadedPlan& plan =
      rig.load(plan_text(source_node(1) +
                             node("a", "vm", "src", R"({"out_key": "score", "expr": "id * 0.5"})") +
                             node("b", "vm", "a", R"({"out_key": "boost", "expr": "id * 2.0"})"),
                         R"(["b", "a"])",
                         R"(["id", "score"])"),
               {},
               plan::CompileOptions::without_passes());
  EXPECT_THAT(plan.output_columns(), ElementsAre("id", "score"));
}

TEST(PreparedPlanTest, RowsOfIdsKeepsOrder) {
  const std::int64_t ids[] = {3, -1, 3};
  const auto rows = rows_of_ids(ids);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), 3U);
  EXPECT_EQ(rows->batch()->ids()[rows->row_at(1)], -1);
}

}  // namespace
}  // namespace millrace::rank::testing
