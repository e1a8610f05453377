#include "host/engine.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/host_fixture.h"
#include "host/waiting_call.h"

namespace millrace::host::testing {
namespace {

using ::testing::HasSubstr;

TEST(EngineTest, EveryLoopAnswers) {
  Settings settings = repository_settings();
  settings.loops = 3;
  const auto project = open_project(settings);
  const auto engine = start_engine(settings, *project);
  ASSERT_EQ(engine->loop_count(), 3U);
  rank::RequestReader reader;
  for (std::size_t loop = 0; loop < 3; ++loop) {
    WaitingCall call;
    call.run(engine->ranker(loop), reader, R"({"user_id": 1, "plan": "complex_dag"})");
    EXPECT_TRUE(call.ok()) << call.response();
  }
  EXPECT_GT(engine->store_counters().commands, 0U);
}

TEST(EngineTest, ART9_NoTwoRequestsOfAProcessHaveTheSameNumber) {
  Settings settings = repository_settings();
  settings.loops = 2;
  const auto project = open_project(settings);
  const auto engine = start_engine(settings, *project);
  rank::RequestReader reader;
  std::set<std::string> numbers;
  for (int request = 0; request < 6; ++request) {
    WaitingCall call;
    call.run(engine->ranker(request % 2), reader, R"({"user_id": 1, "plan": "simple_plan"})");
    const std::size_t begin = call.response().find("\"engine_request_id\"");
    ASSERT_NE(begin, std::string::npos);
    numbers.insert(call.response().substr(begin, call.response().find(',', begin) - begin));
  }
  EXPECT_EQ(numbers.size(), 6U);
}

TEST(EngineTest, B1_AllLoopsShareOneLimit) {
  Settings settings = repository_settings();
  settings.loops = 2;
  settings.inflight_max = 1;
  const auto project = open_project(settings);
  const auto engine = start_engine(settings, *project);
  rank::RequestReader reader;
  for (std::size_t loop = 0; loop < 2; ++loop) {
    WaitingCall call;
    call.run(engine->ranker(loop), reader, R"({"user_id": 1, "plan": "simple_plan"})");
    EXPECT_TRUE(call.ok() || call.outcome() == rank::RankOutcome::kRefused) << call.response();
  }
  EXPECT_EQ(engine->admission().stats().accepted + engine->admission().stats().refused, 2U);
}

TEST(EngineTest, ALimitThatLetsNothingInIsAnError) {
  Settings settings = repository_settings();
  settings.high_water = 0;
  const auto project = open_project(settings);
  EXPECT_THAT(Engine::start(settings, *project).error().text, HasSubstr("high_water"));
}

TEST(EngineTest, CLI2_ThePlanOfTheSettingsIsTheDefault) {
  Settings settings = repository_settings();
  settings.plan_name = "diamond";
  const auto project = open_project(settings);
  const auto engine = start_engine(settings, *project);
  EXPECT_EQ(engine->plans().default_plan()->plan().name, "diamond");
  EXPECT_EQ(engine->plans().size(), 9U);
}

TEST(EngineTest, EveryProblemOfEveryPlanIsInTheError) {
  const TempFolder folder;
  Settings settings = repository_settings();
  settings.plan_files = {folder.write("a.plan.json", kBrokenPlan),
                         folder.write("b.plan.json", "{")};
  const auto project = open_project(settings);
  const auto engine = Engine::start(settings, *project);
  ASSERT_FALSE(engine);
  EXPECT_THAT(engine.error().text, HasSubstr("a.plan.json"));
  EXPECT_THAT(engine.error().text, HasSubstr("nonsense"));
  EXPECT_THAT(engine.error().text, HasSubstr("b.plan.json"));
}

TEST(EngineTest, AnUnknownPlanNameSaysWhichIsMeant) {
  Settings settings = repository_settings();
  settings.plan_name = "diamont";
  const auto project = open_project(settings);
  EXPECT_THAT(Engine::start(settings, *project).error().text, HasSubstr("'diamond'"));
}

TEST(EngineTest, AKindOfEndpointWithoutDriverIsNamed) {
  const Settings settings = repository_settings();
  auto project = Project::open(settings, {.tasks = {&stores::register_store_tasks}, .drivers = {}});
  ASSERT_TRUE(project);
  const auto engine = Engine::start(settings, **project);
  ASSERT_FALSE(engine);
  EXPECT_THAT(engine.error().text, HasSubstr("no client for the kind 'embedded'"));
}

}  // namespace
}  // namespace millrace::host::testing
