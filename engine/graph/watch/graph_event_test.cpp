#include "graph/watch/graph_event.h"

#include <cstddef>

#include <gtest/gtest.h>

namespace millrace::graph {
namespace {

TEST(GraphEvent, EveryNameHasItsWord) {
  EXPECT_EQ(graph_event_names().size(),
            static_cast<std::size_t>(GraphEventName::kTaskCompleted) + 1);
  EXPECT_EQ(to_string(GraphEventName::kSchedulerIterationBegin), "scheduler_iteration_begin");
  EXPECT_EQ(to_string(GraphEventName::kFixedRateSkippedTick), "fixed_rate_skipped_tick");
  EXPECT_EQ(to_string(GraphEventName::kLoopEnd), "loop_end");
  EXPECT_EQ(to_string(GraphEventName::kTaskCompleted), "task_completed");
}

}  // namespace
}  // namespace millrace::graph
