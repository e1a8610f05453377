#include "trace/trace_collector.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "trace/trace.h"
#include "trace/trace_buffer.h"
#include "trace/trace_fixture.h"
#include "trace/trace_record.h"
#include "trace/trace_sink.h"
#include "trace/trace_validate.h"
#include "trace/trace_writer.h"

namespace millrace::trace {
namespace {

base::TimePoint at(std::int64_t ns) { return TraceScript::at(ns); }

/// Records the other calls that a sink receives: track names and drop counts.
class ListeningSink final : public TraceSink {
 public:
  void consume(const RunTrace& run) override { runs.push_back(run.trace_id); }
  void name_track(std::uint16_t track, std::string_view name) override {
    tracks.push_back(std::to_string(track) + "=" + std::string(name));
  }
  void note_dropped(std::uint64_t total) override { dropped.push_back(total); }

  std::vector<TraceId> runs;
  std::vector<std::string> tracks;
  std::vector<std::uint64_t> dropped;
};

TEST(TraceCollectorTest, T3_DeliversAWholeRunInOrderWithItsTopology) {
  TraceCollector collector;
  MemorySink sink;
  collector.add_sink(sink);
  TraceBuffer& worker = collector.add_buffer("worker 0");
  TraceBuffer& loop = collector.add_buffer("loop 0");
  const TraceTopologyId topology = collector.add_topology(TraceScript::dag(2, {{0, 1}}));
  const TraceContext run(TraceId(5), TraceFlag::All, topology);

  TraceWriter(loop, run).run_start(at(0));
  TraceWriter(worker, run).node_start_queued(0, at(0), at(1));
  collector.collect();
  EXPECT_TRUE(sink.take().empty());
  TraceWriter(worker, run).node_end(0, at(2), SpanStatus::Ok);
  TraceWriter(worker, run).node_start_inlined(1, 0, 1, at(2));
  TraceWriter(loop, run).node_end(1, at(3), SpanStatus::Deadline);
  TraceWriter(loop, run).run_end(at(3), {.status = SpanStatus::Deadline, .executed_count = 2});
  collector.collect();

  const auto runs = sink.take();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_TRUE(runs[0].is_complete);
  EXPECT_EQ(runs[0].trace_id, TraceId(5));
  ASSERT_NE(runs[0].topology, nullptr);
  EXPECT_EQ(runs[0].topology->nodes.size(), 2u);
  EXPECT_EQ(runs[0].records.front().kind, TraceKind::kRunStart);
  EXPECT_EQ(runs[0].records.back().kind, TraceKind::kRunEnd);
  EXPECT_EQ(runs[0].records.back().track, 1);
  EXPECT_TRUE(validate_trace(runs[0].records, {.topology = runs[0].topology.get()}).empty());
  EXPECT_EQ(collector.stats().complete_runs, 1u);
}

TEST(TraceCollectorTest, T4_DropsAreCountedAndReported) {
  TraceCollector collector({.buffer_capacity = 2});
  ListeningSink sink;
  collector.add_sink(sink);
  TraceBuffer& buffer = collector.add_buffer("worker 0");
  const TraceContext run(TraceId(1), TraceFlag::All, {});
  for (int i = 0; i < 5; ++i) TraceWriter(buffer, run).run_start(at(i));
  EXPECT_EQ(collector.stats().dropped_records, 3u);
  collector.collect();
  collector.collect();
  EXPECT_EQ(sink.dropped, std::vector<std::uint64_t>({3}));
}

TEST(TraceCollectorTest, MemoryIsBoundedByGivingUpTheOldestOpenRun) {
  TraceCollector collector({.buffer_capacity = 1024, .pending_records_max = 10});
  MemorySink sink;
  collector.add_sink(sink);
  TraceBuffer& buffer = collector.add_buffer("worker 0");
  for (std::uint64_t id = 1; id <= 4; ++id) {
    const TraceContext run(TraceId(id), TraceFlag::All, {});
    for (int i = 0; i < 4; ++i) TraceWriter(buffer, run).run_start(at(i));
  }
  collector.collect();
  const auto runs = sink.take();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].trace_id, TraceId(1));
  EXPECT_EQ(runs[1].trace_id, TraceId(2));
  EXPECT_FALSE(runs[0].is_complete);
  EXPECT_EQ(collector.stats().incomplete_runs, 2u);
}

TEST(TraceCollectorTest, FlushDeliversOpenRunsAsIncomplete) {
  TraceCollector collector;
  MemorySink sink;
  collector.add_sink(sink);
  TraceBuffer& buffer = collector.add_buffer("worker 0");
  const TraceContext open(TraceId(1), TraceFlag::All, {});
  const TraceContext over(TraceId(2), TraceFlag::All, {});
  TraceWriter(buffer, open).run_start(at(0));
  TraceWriter(buffer, over).run_end(at(0), {});
  collector.flush();
  const auto runs = sink.take();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].trace_id, TraceId(2));
  EXPECT_TRUE(runs[0].is_complete);
  EXPECT_EQ(runs[1].trace_id, TraceId(1));
  EXPECT_FALSE(runs[1].is_complete);
}

TEST(TraceCollectorTest, RemovedTopologyStillNamesRunsThatEndedBefore) {
  TraceCollector collector;
  MemorySink sink;
  collector.add_sink(sink);
  TraceBuffer& buffer = collector.add_buffer("worker 0");
  const TraceTopologyId topology = collector.add_topology(TraceScript::dag(1, {}));
  const TraceContext before(TraceId(1), TraceFlag::All, topology);
  TraceWriter(buffer, before).run_end(at(0), {});
  collector.remove_topology(topology);
  collector.collect();
  const TraceContext after(TraceId(2), TraceFlag::All, topology);
  TraceWriter(buffer, after).run_end(at(1), {});
  collector.collect();
  const auto runs = sink.take();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_NE(runs[0].topology, nullptr);
  EXPECT_EQ(runs[1].topology, nullptr);
}

TEST(TraceCollectorTest, EverySinkLearnsEveryTrackOnce) {
  TraceCollector collector;
  ListeningSink early;
  ListeningSink late;
  collector.add_sink(early);
  (void)collector.add_buffer("worker 0");
  collector.collect();
  (void)collector.add_buffer("loop 0");
  collector.add_sink(late);
  collector.collect();
  collector.collect();
  const std::vector<std::string> expected{"0=worker 0", "1=loop 0"};
  EXPECT_EQ(early.tracks, expected);
  EXPECT_EQ(late.tracks, expected);
}

}  // namespace
}  // namespace millrace::trace
