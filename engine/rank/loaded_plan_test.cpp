#include "rank/loaded_plan.h"

#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_fixture.h"
#include "rank/request_run.h"

namespace millrace::rank::testing {
namespace {

using ::testing::ElementsAre;

using std::chrono_literals::operator""ms;

TEST(LoadedPlanTest, ParamsHaveTheirRegisteredDefaults) {
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

TEST(LoadedPlanTest, WhatNoRequestChangesIsBoundAtLoad) {
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

TEST(LoadedPlanTest, OutputColumnsAreThoseOfEveryOutput) {
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

TEST(LoadedPlanTest, REQ3_TheCommonTimeoutBoundsNodesThatCanBeSlow) {
  RankRig rig;
  const LoadedPlan& plan = rig.load(
      plan_text(source_node(1) +
                    node("own", "sleep", "src", R"({"duration_ms": 1})", R"("timeout_ms": 3)") +
                    node("none", "sleep", "own", R"({"duration_ms": 1})"),
                R"(["none"])"),
      {.node_timeout = 7ms});
  EXPECT_EQ(plan.topology().node_count(), 3U);
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_TRUE(call->ok());
}

TEST(LoadedPlanTest, RunsComeBackAndAreUsedAgain) {
  RankRig rig;
  LoadedPlan& plan = rig.load(plan_text(source_node(1), R"(["src"])"));
  RequestRun* first = nullptr;
  {
    const std::shared_ptr<RequestRun> run = plan.make_run();
    first = run.get();
    EXPECT_NE(plan.make_run().get(), first);
  }
  EXPECT_EQ(plan.make_run().get(), first);
}

TEST(LoadedPlanTest, ART8_ATaskThatRefusesItsParamsRefusesThePlan) {
  RankRig rig;
  const auto compiled = plan::compile_plan(
      plan_text(source_node(1) + node("s", "sample", "src", R"({"count": 1, "rate": 0.5})"),
                R"(["s"])"),
      rig.registry,
      rig.tasks);
  ASSERT_TRUE(compiled) << compiled.error().to_text();
  const auto loaded = LoadedPlan::load(*compiled, rig.registry, rig.tasks);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().where(), "s.params");
}

}  // namespace
}  // namespace millrace::rank::testing
