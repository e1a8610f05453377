#include "runtime/run_extras.h"

#include <chrono>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/run.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {
namespace {

using std::chrono::milliseconds;

/// Two sinks, one of which has a fallback and a timeout; the fallback's own node is lazy.
std::vector<NodeSpec> specs_with_everything() {
  NodeSpec timed = noting_node("timed", {"source"});
  timed.timeout = milliseconds(5);
  timed.fallback = FallbackKind::kNode;
  timed.fallback_node = "spare";
  timed.cost_per_row = base::Duration(10);
  return {noting_node("source"), timed, noting_node("sink", {"source"}), noting_node("spare")};
}

class RunExtrasTest : public testing::Test {
 protected:
  RunExtrasTest() { extras.reset({.is_timed = true, .times_bodies = true}); }

  TestDag dag{specs_with_everything()};
  runtime::Run run{dag.topology(), dag.costs()};
  RunExtras extras{run, dag.topology(), [](runtime::Run&, bool) {}};
  const std::uint32_t timed = dag.node("timed");
  const std::uint32_t sink = dag.node("sink");
  const std::uint32_t spare = dag.node("spare");
};

TEST_F(RunExtrasTest, TheLastSinkClosesAndLazyNodesAreNone) {
  EXPECT_FALSE(extras.close_sink(false));
  EXPECT_TRUE(extras.close_sink(true));
}

TEST_F(RunExtrasTest, ANodeWithoutAClockIsNeverDue) {
  EXPECT_EQ(extras.due(sink), base::TimePoint::max());
  EXPECT_EQ(extras.give_up_time(sink), base::TimePoint::max());
  extras.set_due(timed, base::TimePoint(milliseconds(5)));
  EXPECT_EQ(extras.due(timed), base::TimePoint(milliseconds(5)));
}

TEST_F(RunExtrasTest, ResetForgetsTheLastExecution) {
  bool was_running = false;
  ASSERT_TRUE(extras.states()[timed].try_take(was_running));
  extras.count_taken();
  extras.marks(timed).mark_used();
  ASSERT_TRUE(extras.marks(spare).try_activate());
  ASSERT_TRUE(extras.marks(timed).try_complete());
  extras.marks(spare).mark_succeeded();
  extras.add_row_count(timed, 40);
  ASSERT_FALSE(extras.close_sink(true));

  extras.reset({.is_timed = true, .times_bodies = true});
  EXPECT_EQ(extras.states()[timed].state(), NodeState::kWaiting);
  EXPECT_FALSE(extras.was_any_taken());
  EXPECT_FALSE(extras.used_fallback(timed));
  EXPECT_TRUE(extras.marks(spare).try_activate());
  EXPECT_TRUE(extras.marks(timed).try_complete());
  EXPECT_FALSE(extras.marks(spare).has_succeeded());
  EXPECT_EQ(extras.row_count(timed), 0U);
  EXPECT_FALSE(extras.close_sink(true));
  EXPECT_TRUE(extras.close_sink(true));
}

TEST_F(RunExtrasTest, I4_RowsOfAllProducersAddUp) {
  extras.add_row_count(timed, 40);
  extras.add_row_count(timed, 2);
  EXPECT_EQ(extras.row_count(timed), 42U);
}

}  // namespace
}  // namespace millrace::runtime
