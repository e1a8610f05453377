#include "trace/trace_writer.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "trace/trace.h"
#include "trace/trace_buffer.h"
#include "trace/trace_fixture.h"
#include "trace/trace_record.h"

namespace millrace::trace {
namespace {

std::vector<TraceKind> kinds_written_with(TraceFlag flags) {
  TraceScript script(flags);
  script.run_start(0).queued(0, 0, 1).end(0, 2, SpanStatus::Error).inlined(1, 0, 2).end(1, 3);
  script.run_end(3, {.executed_count = 2});
  std::vector<TraceKind> kinds;
  for (const TraceRecord& record : script.records()) kinds.push_back(record.kind);
  return kinds;
}

TEST(TraceWriterTest, FlagsChooseTheEvents) {
  using enum TraceKind;
  using Kinds = std::vector<TraceKind>;
  EXPECT_EQ(kinds_written_with(TraceFlag::RunEnd), Kinds({kRunEnd}));
  EXPECT_EQ(kinds_written_with(TraceFlag::RunStart), Kinds({kRunStart, kRunEnd}));
  EXPECT_EQ(kinds_written_with(TraceFlag::NodeSpan),
            Kinds({kNodeStart, kNodeEnd, kNodeStart, kNodeEnd, kRunEnd}));
  EXPECT_EQ(kinds_written_with(TraceFlag::NodeError), Kinds({kNodeError, kRunEnd}));
  EXPECT_EQ(kinds_written_with(TraceFlag::QueueDelay), Kinds({kQueueDelay, kRunEnd}));
  EXPECT_EQ(kinds_written_with(TraceFlag::InlineDetail), Kinds({kNodeInlined, kRunEnd}));
}

/// What a reader gets for a node that was queued and for one that was inlined, each with its end.
std::vector<TraceRecord> written_with(TraceFlag flags, bool at_once) {
  TraceBuffer buffer(64);
  const TraceContext run(TraceId(42), flags, {});
  TraceWriter writer(buffer, run);
  const auto at = TraceScript::at;
  if (at_once) {
    writer.node_ran(5, {}, at(10), at(30), at(45));
    writer.node_ran(6, {.parent = 5, .depth = 2}, at(45), at(45), at(50));
  } else {
    writer.node_start_queued(5, at(10), at(30));
    writer.node_end(5, at(45), SpanStatus::Ok);
    writer.node_start_inlined(6, 5, 2, at(45));
    writer.node_end(6, at(50), SpanStatus::Ok);
  }
  std::vector<TraceRecord> drained;
  buffer.drain(drained);
  std::vector<TraceRecord> events;
  for (const TraceRecord& record : drained) {
    if (record.kind == TraceKind::kNodeRan) {
      for (const TraceRecord& event : unfold(record)) events.push_back(event);
    } else {
      events.push_back(record);
    }
  }
  return events;
}

TEST(TraceWriterTest, T2_ANodeWrittenAtOnceIsReadAsItsEvents) {
  for (std::uint32_t flags = 0; flags <= static_cast<std::uint32_t>(TraceFlag::All); ++flags) {
    const auto wanted = static_cast<TraceFlag>(flags);
    const auto at_once = written_with(wanted, true);
    const auto singly = written_with(wanted, false);
    ASSERT_EQ(at_once.size(), singly.size()) << flags;
    for (std::size_t event = 0; event < singly.size(); ++event)
      EXPECT_EQ(at_once[event], singly[event]) << flags << ", event " << event;
  }
  EXPECT_EQ(written_with(TraceFlag::All, true).size(), 6U);
}

TEST(TraceWriterTest, T4_ANodeWithAllItsEventsTakesOneRecord) {
  TraceBuffer buffer(64);
  const TraceContext run(TraceId(42), TraceFlag::All, {});
  TraceWriter(buffer, run)
      .node_ran(0, {}, TraceScript::at(0), TraceScript::at(1), TraceScript::at(2));
  std::vector<TraceRecord> records;
  EXPECT_EQ(buffer.drain(records), 1U);
}

TEST(TraceContextTest, NoFlagMeansNotEnabled) {
  EXPECT_FALSE(TraceContext().enabled());
  EXPECT_FALSE(TraceContext(TraceId(1), TraceFlag::None, {}).enabled());
  EXPECT_TRUE(TraceContext(TraceId(1), TraceFlag::QueueDelay, {}).enabled());
}

TEST(TraceContextTest, SpanIdsAreDistinctWithinARunAndRepeatable) {
  const TraceContext run(TraceId(42), TraceFlag::All, {});
  const TraceContext same(TraceId(42), TraceFlag::RunEnd, {});
  const TraceContext other(TraceId(43), TraceFlag::All, {});
  std::set<std::uint64_t> seen{run.run_span().value()};
  for (std::uint32_t node = 0; node < 1000; ++node) {
    for (std::uint16_t attempt = 0; attempt < 3; ++attempt) {
      EXPECT_TRUE(seen.insert(run.node_span(node, attempt).value()).second);
      EXPECT_EQ(run.node_span(node, attempt), same.node_span(node, attempt));
      EXPECT_NE(run.node_span(node, attempt), other.node_span(node, attempt));
    }
  }
  EXPECT_FALSE(seen.contains(0));
}

}  // namespace
}  // namespace millrace::trace
