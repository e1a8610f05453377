#include "runtime/protocols/node_states.h"

#include <gtest/gtest.h>

namespace millrace::runtime {
namespace {

constexpr auto kYes = [] { return true; };
constexpr auto kNo = [] { return false; };

TEST(NodeStatesTest, C3_OfBodyAndClockExactlyOneWins) {
  NodeStates<> states(2);
  bool was_running = false;
  ASSERT_TRUE(states[0].begin_careful(false, kNo));
  EXPECT_TRUE(states[0].try_abandon(was_running));
  EXPECT_TRUE(was_running);
  EXPECT_FALSE(states[0].end_careful());

  ASSERT_TRUE(states[1].begin_careful(false, kNo));
  EXPECT_TRUE(states[1].end_careful());
  states[1].settle();
  EXPECT_FALSE(states[1].try_abandon(was_running));
}

TEST(NodeStatesTest, C1_ANodeTakenBeforeItsStartNeverRuns) {
  NodeStates<> states(1);
  bool was_running = true;
  EXPECT_TRUE(states[0].try_abandon(was_running));
  EXPECT_FALSE(was_running);
  EXPECT_FALSE(states[0].begin_careful(false, kNo));
  EXPECT_FALSE(states[0].try_abandon(was_running));
}

TEST(NodeStatesTest, C1_NothingBeginsInARunThatIsToStop) {
  NodeStates<> states(2);
  EXPECT_FALSE(states[0].begin_quick(kYes));
  EXPECT_FALSE(states[1].begin_careful(false, kYes));
  EXPECT_EQ(states[0].get(), NodeState::kAbandoned);
  EXPECT_EQ(states[1].get(), NodeState::kAbandoned);
}

TEST(NodeStatesTest, C2_AQuickBodyThatEndsAfterTheAnswerIsDropped) {
  NodeStates<> states(2);
  ASSERT_TRUE(states[0].begin_quick(kNo));
  ASSERT_TRUE(states[1].begin_quick(kNo));
  EXPECT_TRUE(states[0].end_quick(kYes));
  states[0].settle();
  EXPECT_EQ(states[0].get(), NodeState::kDone);
  bool was_running = false;
  EXPECT_TRUE(states[1].try_abandon(was_running));
  EXPECT_TRUE(was_running);
  EXPECT_FALSE(states[1].end_quick(kNo));
  EXPECT_EQ(states[1].get(), NodeState::kAbandoned);
}

TEST(NodeStatesTest, ResetMakesEveryNodeWait) {
  NodeStates<> states(2);
  ASSERT_TRUE(states[0].begin_quick(kNo));
  states[1].settle();
  states.reset();
  EXPECT_EQ(states[0].get(), NodeState::kWaiting);
  EXPECT_EQ(states[1].get(), NodeState::kWaiting);
}

}  // namespace
}  // namespace millrace::runtime
