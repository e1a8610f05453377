#include "trace/trace_record.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "trace/trace.h"
#include "trace/trace_fixture.h"

namespace millrace::trace {
namespace {

TEST(TraceRecordTest, EventsCarryWhatWasWritten) {
  TraceScript script;
  script.run_start(10).queued(0, 10, 15).end(0, 20, SpanStatus::Error).inlined(1, 0, 20);
  script.end(1, 25).run_end(
      30, {.status = SpanStatus::Error, .executed_count = 2, .skipped_count = 3, .late_count = 1});
  const TraceTopology topology = TraceScript::dag(5, {{0, 1}});
  std::vector<TraceEvent> events;
  for (const TraceRecord& record : script.records()) events.push_back(to_event(record, &topology));
  ASSERT_EQ(events.size(), 9u);

  const auto& run_start = std::get<RunStart>(events[0]);
  EXPECT_EQ(run_start.trace_id, TraceId(TraceScript::kTraceId));
  EXPECT_EQ(run_start.plan, "plan");
  EXPECT_EQ(run_start.time, TraceScript::at(10));
  const auto& start = std::get<NodeStart>(events[1]);
  EXPECT_EQ(start.node_id, "n0");
  EXPECT_EQ(start.node_index, 0);
  EXPECT_EQ(start.span_id, script.run().node_span(0));
  const auto& delay = std::get<QueueDelay>(events[2]);
  EXPECT_EQ(delay.delay, base::Duration(5));
  EXPECT_EQ(delay.time, TraceScript::at(15));
  EXPECT_EQ(std::get<NodeError>(events[3]).code, base::ErrorCode::kNodeFailed);
  EXPECT_EQ(std::get<NodeEnd>(events[4]).status, SpanStatus::Error);
  EXPECT_EQ(std::get<NodeStart>(events[5]).node_id, "n1");
  const auto& inlined = std::get<NodeInlined>(events[6]);
  EXPECT_EQ(inlined.node_id, "n1");
  EXPECT_EQ(inlined.node_index, 1);
  EXPECT_EQ(inlined.parent_node_index, 0);
  EXPECT_EQ(inlined.inline_depth, 1);
  EXPECT_EQ(inlined.span_id, std::get<NodeStart>(events[5]).span_id);
  const auto& run_end = std::get<RunEnd>(events[8]);
  EXPECT_EQ(run_end.status, SpanStatus::Error);
  EXPECT_EQ(run_end.executed_count, 2u);
  EXPECT_EQ(run_end.skipped_count, 3u);
  EXPECT_EQ(run_end.late_count, 1u);
  EXPECT_EQ(run_end.span_id, run_start.span_id);
}

TEST(TraceRecordTest, NamesAreEmptyWhenTheTopologyDoesNotKnowTheNode) {
  TraceScript script;
  script.queued(3, 0, 0);
  const TraceTopology small = TraceScript::dag(2, {});
  const std::vector<TraceRecord> records = script.records();
  const TraceEvent from_small = to_event(records[0], &small);
  EXPECT_EQ(std::get<NodeStart>(from_small).node_id, "");
  EXPECT_EQ(std::get<NodeStart>(from_small).node_index, 3);
  EXPECT_EQ(std::get<NodeStart>(to_event(records[0], nullptr)).node_id, "");
}

}  // namespace
}  // namespace millrace::trace
