#include "runtime/protocols/node_states.h"

#include <gtest/gtest.h>

namespace millrace::runtime {
namespace {

constexpr auto kYes = [] { return true; };
constexpr auto kNo = [] { return false; };

/// Takes what still runs, as an answer does; true: it took the node.
bool answer(NodeCell<>& cell, bool& was_running) {
  return cell.try_ask(NodeTaker::kAnswer) && cell.decide(was_running);
}

TEST(NodeStatesTest, C3_OfBodyAndClockExactlyOneWins) {
  NodeStates<> states(2);
  bool was_running = false;
  ASSERT_TRUE(states[0].begin_unless_taken(false, kNo));
  EXPECT_TRUE(states[0].try_take(was_running));
  EXPECT_TRUE(was_running);
  states[0].mark_ending();
  EXPECT_FALSE(states[0].is_own());

  ASSERT_TRUE(states[1].begin_unless_taken(false, kNo));
  states[1].mark_ending();
  EXPECT_TRUE(states[1].is_own());
  states[1].settle();
  EXPECT_FALSE(states[1].try_take(was_running));
  EXPECT_FALSE(states[1].is_taken());
}

TEST(NodeStatesTest, C3_AClockThatAsksWhileTheBodyEndsIsRefused) {
  NodeStates<> states(1);
  ASSERT_TRUE(states[0].begin_unless_taken(false, kNo));
  states[0].mark_ending();
  bool was_running = false;
  EXPECT_FALSE(states[0].try_take(was_running));
  EXPECT_TRUE(states[0].is_own());
}

TEST(NodeStatesTest, C1_ANodeTakenBeforeItsStartNeverRuns) {
  NodeStates<> states(1);
  bool was_running = true;
  EXPECT_TRUE(states[0].try_take(was_running));
  EXPECT_FALSE(was_running);
  EXPECT_FALSE(states[0].begin_unless_taken(false, kNo));
  EXPECT_EQ(states[0].state(), NodeState::kDropped);
  EXPECT_FALSE(states[0].try_take(was_running));
}

TEST(NodeStatesTest, C1_NothingBeginsInARunThatIsToStop) {
  NodeStates<> states(2);
  EXPECT_FALSE(states[0].begin(kYes));
  EXPECT_FALSE(states[1].begin_unless_taken(true, kYes));
  EXPECT_EQ(states[0].state(), NodeState::kDropped);
  EXPECT_EQ(states[1].state(), NodeState::kDropped);
}

TEST(NodeStatesTest, C2_ABodyThatEndsAfterTheAnswerIsDropped) {
  NodeStates<> states(2);
  ASSERT_TRUE(states[0].begin(kNo));
  ASSERT_TRUE(states[1].begin(kNo));
  states[0].mark_ending();
  EXPECT_TRUE(states[0].is_own());
  states[0].settle();
  EXPECT_EQ(states[0].state(), NodeState::kDone);
  bool was_running = false;
  EXPECT_FALSE(answer(states[0], was_running));
  EXPECT_TRUE(answer(states[1], was_running));
  EXPECT_TRUE(was_running);
  states[1].mark_ending();
  EXPECT_FALSE(states[1].is_own());
}

TEST(NodeStatesTest, C2_AnAnswerLeavesANodeThatAClockTook) {
  NodeStates<> states(1);
  ASSERT_TRUE(states[0].begin_unless_taken(false, kNo));
  bool was_running = false;
  ASSERT_TRUE(states[0].try_take(was_running));
  EXPECT_FALSE(answer(states[0], was_running));
  states[0].wait_until_settled();  // does not wait for the late body
  EXPECT_TRUE(states[0].is_taken());
}

TEST(NodeStatesTest, ResetMakesEveryNodeWait) {
  NodeStates<> states(2);
  bool was_running = false;
  ASSERT_TRUE(states[0].begin_unless_taken(false, kNo));
  ASSERT_TRUE(states[0].try_take(was_running));
  states[1].settle();
  states.reset();
  EXPECT_EQ(states[0].state(), NodeState::kWaiting);
  EXPECT_FALSE(states[0].is_taken());
  EXPECT_EQ(states[1].state(), NodeState::kWaiting);
}

}  // namespace
}  // namespace millrace::runtime
