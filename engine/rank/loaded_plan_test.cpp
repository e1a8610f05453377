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

}  // namespace
}  // namespace millrace::rank::testing
