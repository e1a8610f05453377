#include "bridge/engine_plan_runner.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/host_fixture.h"

namespace millrace::bridge {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(EnginePlanRunnerTest, RanksWithThePlansOfTheEngineUntilItIsDetached) {
  const auto settings = host::testing::repository_settings();
  const auto project = host::testing::open_project(settings);
  const auto engine = host::testing::start_engine(settings, *project);
  EnginePlanRunner runner;
  EXPECT_FALSE(runner.find("mixed_pipeline"));
  runner.attach(*engine);
  EXPECT_TRUE(runner.find("mixed_pipeline"));
  EXPECT_THAT(*runner.rank("mixed_pipeline", R"({"user_id":1,"limit":1})", 10s),
              HasSubstr(R"("candidates":[{"id":)"));
  EXPECT_THAT(*runner.rank("mixed_pipeline", R"({"user_id":1,"plan":"other"})", 10s),
              HasSubstr(R"("error":)"))
      << "the name of the component counts";
  EXPECT_THAT(*runner.rank("mixed_pipeline", R"({"user_id":1})", -1s),
              HasSubstr("deadline_exceeded"));
  runner.detach();
  EXPECT_EQ(runner.rank("mixed_pipeline", "{}", 1s).error().code(), base::ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace millrace::bridge
