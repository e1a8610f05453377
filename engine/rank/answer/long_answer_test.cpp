#include "rank/answer/long_answer.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/answer/long_answer_fixture.h"

namespace millrace::rank::testing {
namespace {

using ::testing::HasSubstr;

using std::chrono_literals::operator""ms;

constexpr int kManyRows = 20'000;

TEST(LongAnswerTest, REQ9_HasTheSameBytesAsPiecesOfIt) {
  RankRig rig;
  rig.load(plan_text(source_node(kManyRows), R"(["src"])"));
  const auto call = rig.ask(R"({"user_id": 1, "request_id": "r1", "deadline_ms": 100})");
  ASSERT_TRUE(call->ok()) << call->error_message();
  EXPECT_EQ(call->candidate_count(), kManyRows);
  EXPECT_EQ(call->answer_count(), 1);
  std::string expected = "[";
  for (int id = 1; id <= kManyRows; ++id)
    expected += (id == 1 ? "" : ",") + base::format(R"({{"id":{},"fields":{{}}}})", id);
  EXPECT_EQ(call->candidates(), expected + "]");
  EXPECT_EQ(call->part("degraded"), R"({"is":false,"reasons":[]})");
}

TEST(LongAnswerTest, C2_IsGivenUpAtTheDeadlineHoweverBusyWorkersAre) {
  BusyRig rig;
  rig.load_rows(kManyRows);
  const auto call = rig.start_rows(R"(, "request_id": "r1", "deadline_ms": 50)");
  rig.drain();
  EXPECT_EQ(call->error_code(), "deadline_exceeded");
  EXPECT_THAT(call->error_message(), HasSubstr("The answer was not written before the deadline"));
  EXPECT_EQ(call->request_id(), "r1");
  EXPECT_EQ(call->took(), 50ms);
  EXPECT_EQ(call->answer_count(), 1);
}

TEST(LongAnswerTest, LIM2_OneThatIsTooLargeSaysSo) {
  RankRig rig;
  rig.services.row_limits.bytes_max = 256 << 10;
  rig.load(plan_text(source_node(kManyRows), R"(["src"])"));
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_EQ(call->error_code(), "limit_reached");
  EXPECT_THAT(call->error_message(), HasSubstr("more than 262144 bytes (--max_request_memory)"));
  EXPECT_TRUE(rig.ask(R"({"user_id": 1, "limit": 5000})")->ok());
}

TEST(LongAnswerTest, C7_ACancelledOneIsStillAnsweredOnce) {
  BusyRig rig;
  rig.load_rows(kManyRows);
  const auto call = rig.start_rows();
  while (rig.order(/*of_ends=*/true).find("nap") == std::string::npos) ASSERT_TRUE(rig.step());
  call->cancel();
  rig.drain();
  EXPECT_EQ(call->answer_count(), 1);
}

}  // namespace
}  // namespace millrace::rank::testing
