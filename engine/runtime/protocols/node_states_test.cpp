#include "runtime/protocols/node_states.h"

#include <gtest/gtest.h>

namespace millrace::runtime {
namespace {

constexpr auto kYes = [] { return true; };
constexpr auto kNo = [] { return false; };

TEST(NodeStatesTest, C3_OfBodyAndClockExactlyOneWins) {
  NodeStates<> states(2);
  bool was_running = false;
  ASSERT_TRUE(states.begin_careful(0, false, kNo));
  EXPECT_TRUE(states.try_abandon(0, was_running));
  EXPECT_TRUE(was_running);
  EXPECT_FALSE(states.end_careful(0));

  ASSERT_TRUE(states.begin_careful(1, false, kNo));
  EXPECT_TRUE(states.end_careful(1));
  states.settle(1);
  EXPECT_FALSE(states.try_abandon(1, was_running));
}

TEST(NodeStatesTest, C1_ANodeTakenBeforeItsStartNeverRuns) {
  NodeStates<> states(1);
  bool was_running = true;
  EXPECT_TRUE(states.try_abandon(0, was_running));
  EXPECT_FALSE(was_running);
  EXPECT_FALSE(states.begin_careful(0, false, kNo));
  EXPECT_FALSE(states.try_abandon(0, was_running));
}

TEST(NodeStatesTest, C1_NothingBeginsInARunThatIsToStop) {
  NodeStates<> states(2);
  EXPECT_FALSE(states.begin_quick(0, kYes));
  EXPECT_FALSE(states.begin_careful(1, false, kYes));
  EXPECT_EQ(states.at(0), NodeState::kAbandoned);
  EXPECT_EQ(states.at(1), NodeState::kAbandoned);
}

TEST(NodeStatesTest, C2_AQuickBodyThatEndsAfterTheAnswerIsDropped) {
  NodeStates<> states(2);
  ASSERT_TRUE(states.begin_quick(0, kNo));
  ASSERT_TRUE(states.begin_quick(1, kNo));
  EXPECT_TRUE(states.end_quick(0, kYes));
  states.settle(0);
  EXPECT_EQ(states.at(0), NodeState::kDone);
  bool was_running = false;
  EXPECT_TRUE(states.try_abandon(1, was_running));
  EXPECT_TRUE(was_running);
  EXPECT_FALSE(states.end_quick(1, kNo));
  EXPECT_EQ(states.at(1), NodeState::kAbandoned);
}

TEST(NodeStatesTest, ResetMakesEveryNodeWait) {
  NodeStates<> states(2);
  ASSERT_TRUE(states.begin_quick(0, kNo));
  states.settle(1);
  states.reset();
  EXPECT_EQ(states.at(0), NodeState::kWaiting);
  EXPECT_EQ(states.at(1), NodeState::kWaiting);
}

}  // namespace
}  // namespace millrace::runtime
