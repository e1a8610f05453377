#include "apps/rankd/request_repeater.h"

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd::testing {
namespace {

class RequestRepeaterTest : public ::testing::Test {
 protected:
  RequestRepeaterTest() {
    flags_.plan_name = "simple_plan";
    project_ = open_project(flags_);
    engine_ = start_engine(flags_, *project_);
  }
  Flags flags_ = repository_flags();
  std::unique_ptr<host::Project> project_;
  std::unique_ptr<host::Engine> engine_;
};

TEST_F(RequestRepeaterTest, EveryRunAnswersAsManyAsAsked) {
  RequestRepeater repeater(*engine_, 8);
  std::atomic<int> responses = 0;
  repeater.on_response([&](std::string_view) { ++responses; });
  for (const std::int64_t count : {100, 3, 8}) {
    responses = 0;
    const Repeated result = repeater.run(R"({"user_id": 1})", count);
    EXPECT_EQ(result.failed, 0) << result.first_error;
    EXPECT_EQ(result.latencies.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(responses, count);
    EXPECT_GT(result.cpu.count(), 0);
  }
}

TEST_F(RequestRepeaterTest, SendsTheRequestsInTurn) {
  RequestRepeater repeater(*engine_, 3);
  std::atomic<int> of_second = 0;
  repeater.on_response([&](std::string_view response) {
    if (response.find(R"("request_id":"b")") != std::string_view::npos) ++of_second;
  });
  const std::vector<std::string> requests{R"({"user_id": 1, "request_id": "a"})",
                                          R"({"user_id": 2, "request_id": "b"})"};
  EXPECT_EQ(repeater.run(requests, 21).failed, 0);
  EXPECT_EQ(of_second, 10);
}

TEST_F(RequestRepeaterTest, KeepsTheFirstFailureOfEachRun) {
  RequestRepeater repeater(*engine_, 2);
  const Repeated bad = repeater.run(R"({"user_id": "x"})", 10);
  EXPECT_EQ(bad.failed, 10);
  EXPECT_NE(bad.first_error.find("bad_value"), std::string::npos) << bad.first_error;
  const Repeated good = repeater.run(R"({"user_id": 1})", 10);
  EXPECT_EQ(good.failed, 0);
  EXPECT_EQ(good.first_error, "");
}

TEST_F(RequestRepeaterTest, TellsHowFarItIs) {
  RequestRepeater repeater(*engine_, 1);
  std::int64_t last = 0;
  repeater.on_progress([&](std::int64_t answered, std::int64_t count) {
    EXPECT_EQ(answered, ++last);
    EXPECT_EQ(count, 5);
  });
  static_cast<void>(repeater.run(R"({"user_id": 1})", 5));
  EXPECT_EQ(last, 5);
}

}  // namespace
}  // namespace millrace::rankd::testing
