#include "rank/loaded_plan.h"

#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "rank/rank_fixture.h"
#include "rank/request_run.h"

namespace millrace::rank::testing {
namespace {

using std::chrono_literals::operator""ms;

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
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().problems()[0].path, "nodes[1]");
  EXPECT_EQ(compiled.error().problems()[0].message, "Give either `count` or `rate`");
}

TEST(LoadedPlanTest, S27_MeasuredCostsOfUnchangedNodesCarryOver) {
  RankRig rig;
  const auto load = [&](std::string_view sorted_by) {
    const auto compiled = plan::compile_plan(
        plan_text(source_node(9) + node("s", "sort", "src", sorted_by), R"(["s"])"),
        rig.registry,
        rig.tasks,
        {.for_explain = true});
    MR_CHECK(compiled.has_value(), compiled ? "" : compiled.error().to_text());
    return LoadedPlan::load(*compiled, rig.registry, rig.tasks).value();
  };
  const auto old = load(R"({"key": "id", "order": "desc"})");
  for (std::uint32_t node = 0; node < 2; ++node) {
    for (int sample = 0; sample < 8; ++sample)
      old->costs().record(node, std::chrono::microseconds(3), 9);
  }
  const auto next = load(R"({"key": "id", "order": "asc"})");
  EXPECT_NE(next->serial(), old->serial());
  EXPECT_EQ(next->costs().sample_count(0), 0U);
  next->adopt_costs(*old);
  const std::uint32_t source = next->plan().find_node("src");
  const std::uint32_t sorted = next->plan().find_node("s");
  EXPECT_EQ(next->costs().sample_count(source), 8U);
  EXPECT_EQ(next->costs().estimate(source, 9), std::chrono::microseconds(3));
  EXPECT_NE(next->costs().hint(source), runtime::CostModel::kUnknown);
  EXPECT_EQ(next->costs().sample_count(sorted), 0U);
}

}  // namespace
}  // namespace millrace::rank::testing
