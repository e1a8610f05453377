#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scarce_memory_fixture.h"
#include "rank/rank_fixture.h"

// What happens when there is no memory for an answer. This is a program of its own, because it
// decides about every allocation of the process.

namespace millrace::rank::testing {
namespace {

using base::testing::ScarceMemory;
using ::testing::HasSubstr;

TEST(AnswerMemoryTest, AnAnswerThatFindsNoMemoryIsAnErrorOfItsRequestOnly) {
  RankRig rig;
  rig.load(plan_text(source_node(5000), R"(["src"])"));
  EXPECT_TRUE(rig.ask(R"({"user_id": 1})")->ok());
  {
    const ScarceMemory scarce(64U << 10);
    const auto refused = rig.ask(R"({"user_id": 1, "request_id": "r1"})");
    EXPECT_EQ(refused->error_code(), "limit_reached");
    EXPECT_THAT(refused->response(), HasSubstr("not enough memory for the answer"));
    EXPECT_EQ(refused->request_id(), "r1");
    EXPECT_EQ(refused->answer_count(), 1);
    EXPECT_TRUE(rig.ask(R"({"user_id": 1, "limit": 3})")->ok()) << "a small answer has room";
  }
  EXPECT_TRUE(rig.ask(R"({"user_id": 1})")->ok());
}

TEST(AnswerMemoryTest, ARequestThatFindsNoMemoryIsRefused) {
  RankRig rig;
  rig.load(plan_text(source_node(3), R"(["src"])"));
  EXPECT_TRUE(rig.ask(R"({"user_id": 1})")->ok());
  std::string request = R"({"user_id": 1, "candidates": [1)";
  for (int i = 0; i < 5000; ++i) request += ",1";
  request += "]}";
  {
    const ScarceMemory scarce(8U << 10);
    const auto refused = rig.ask(request);
    EXPECT_EQ(refused->error_code(), "limit_reached") << refused->response();
  }
  const auto next = rig.ask(R"({"user_id": 1})");
  EXPECT_TRUE(next->ok()) << next->response();
}

}  // namespace
}  // namespace millrace::rank::testing
