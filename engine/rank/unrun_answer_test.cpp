#include "rank/unrun_answer.h"

#include <gtest/gtest.h>

namespace millrace::rank {
namespace {

TEST(UnrunAnswerTest, KeepsTheIdOfItsRequest) {
  EXPECT_EQ(make_unrun_answer(R"({"user_id":1,"request_id":"r\"7"})", "gave_up", "Taken 5 times"),
            R"({"request_id":"r\"7","error":{"code":"gave_up","message":"Taken 5 times"}})");
}

TEST(UnrunAnswerTest, LeavesOutAnIdThatIsMissingOrCannotBeRead) {
  const char* const without = R"({"error":{"code":"timeout","message":"Late"}})";
  EXPECT_EQ(make_unrun_answer(R"({"user_id":1})", "timeout", "Late"), without);
  EXPECT_EQ(make_unrun_answer(R"({"request_id":7})", "timeout", "Late"), without);
  EXPECT_EQ(make_unrun_answer(R"(["request_id"])", "timeout", "Late"), without);
  EXPECT_EQ(make_unrun_answer("nonsense", "timeout", "Late"), without);
}

}  // namespace
}  // namespace millrace::rank
