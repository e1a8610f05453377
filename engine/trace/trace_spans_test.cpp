#include "trace/trace_spans.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "trace/trace.h"
#include "trace/trace_fixture.h"

namespace millrace::trace {
namespace {

TEST(TraceSpansTest, PutsARunTogether) {
  TraceScript script;
  script.run_start(10).queued(0, 10, 15).end(0, 20, SpanStatus::Error).inlined(1, 0, 20);
  script.run_end(30, {.status = SpanStatus::Deadline, .executed_count = 2, .skipped_count = 3});
  const RunSpans run = collect_spans(script.records());

  EXPECT_EQ(run.start, TraceScript::at(10));
  EXPECT_EQ(run.end, TraceScript::at(30));
  EXPECT_EQ(run.status, SpanStatus::Deadline);
  EXPECT_EQ(run.executed_count, 2u);
  EXPECT_EQ(run.skipped_count, 3u);
  ASSERT_EQ(run.nodes.size(), 2u);
  EXPECT_EQ(run.nodes[0].start, TraceScript::at(15));
  EXPECT_EQ(run.nodes[0].end, TraceScript::at(20));
  EXPECT_EQ(run.nodes[0].queue_delay, base::Duration(5));
  EXPECT_EQ(run.nodes[0].status, SpanStatus::Error);
  EXPECT_EQ(run.nodes[0].error, base::ErrorCode::kNodeFailed);
  EXPECT_EQ(run.nodes[0].inline_depth, 0u);
  EXPECT_FALSE(run.nodes[1].end.has_value());
  EXPECT_FALSE(run.nodes[1].queue_delay.has_value());
  EXPECT_EQ(run.nodes[1].inline_parent, 0u);
  EXPECT_EQ(run.nodes[1].inline_depth, 1u);
}

TEST(TraceSpansTest, LeavesOutWhatNeverStarted) {
  TraceScript script;
  script.end(0, 5);
  const RunSpans run = collect_spans(script.records());
  EXPECT_TRUE(run.nodes.empty());
  EXPECT_FALSE(run.start.has_value());
}

}  // namespace
}  // namespace millrace::trace
