#include "apps/rankd/engine.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"
#include "apps/rankd/waiting_call.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::HasSubstr;

TEST(EngineTest, EveryLoopAnswers) {
  Flags flags = repository_flags();
  flags.loops = 3;
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  ASSERT_EQ(engine->loop_count(), 3U);
  rank::RequestReader reader;
  for (std::size_t loop = 0; loop < 3; ++loop) {
    WaitingCall call;
    call.run(engine->ranker(loop), reader, R"({"user_id": 1, "plan": "complex_dag"})");
    EXPECT_TRUE(call.ok()) << call.response();
  }
  EXPECT_GT(engine->store_counters().commands, 0U);
}

TEST(EngineTest, CLI2_ThePlanOfTheFlagsIsTheDefault) {
  Flags flags = repository_flags();
  flags.plan_name = "diamond";
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  EXPECT_EQ(engine->plans().default_plan()->plan().name, "diamond");
  EXPECT_EQ(engine->plans().size(), 9U);
}

TEST(EngineTest, EveryProblemOfEveryPlanIsInTheError) {
  const TempFolder folder;
  Flags flags = repository_flags();
  flags.plan_files = {folder.write("a.plan.json", kBrokenPlan), folder.write("b.plan.json", "{")};
  const auto project = open_project(flags);
  const auto engine = Engine::start(flags, *project);
  ASSERT_FALSE(engine);
  EXPECT_THAT(engine.error().text, HasSubstr("a.plan.json"));
  EXPECT_THAT(engine.error().text, HasSubstr("nonsense"));
  EXPECT_THAT(engine.error().text, HasSubstr("b.plan.json"));
}

TEST(EngineTest, AnUnknownPlanNameSaysWhichIsMeant) {
  Flags flags = repository_flags();
  flags.plan_name = "diamont";
  const auto project = open_project(flags);
  EXPECT_THAT(Engine::start(flags, *project).error().text, HasSubstr("'diamond'"));
}

TEST(EngineTest, CLI4_AnEndpointWithoutClientFailsItsNodeOnly) {
  Flags flags = repository_flags();
  flags.env = "test";
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  rank::RequestReader reader;
  WaitingCall call;
  call.run(engine->ranker(0), reader, R"({"user_id": 1, "plan": "simple_plan"})");
  EXPECT_THAT(call.response(), HasSubstr(R"("code":"endpoint_unavailable")"));
  EXPECT_THAT(call.response(), HasSubstr(R"("node":"v","op":"viewer")"));
}

}  // namespace
}  // namespace millrace::rankd::testing
