#include "trace/trace_writer.h"

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
