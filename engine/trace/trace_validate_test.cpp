#include "trace/trace_validate.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/trace.h"
#include "trace/trace_fixture.h"
#include "trace/trace_record.h"

namespace millrace::trace {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// 0 → 1 → 3, 0 → 2 → 3; node 2 is async.
TraceTopology diamond() {
  TraceTopology topology = TraceScript::dag(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  topology.nodes[2].is_async = true;
  return topology;
}

std::vector<TraceRecord> right_trace() {
  TraceScript script;
  script.run_start(0).queued(0, 0, 10).end(0, 20).queued(2, 20, 21).inlined(1, 0, 20).end(1, 30);
  script.end(2, 50).inlined(3, 2, 50).end(3, 60).run_end(60, {.executed_count = 4});
  return script.records();
}

std::vector<std::string> statements(const std::vector<TraceRecord>& records,
                                    const TraceFacts& facts) {
  std::vector<std::string> out;
  for (const TraceViolation& violation : validate_trace(records, facts)) {
    out.push_back(violation.statement);
  }
  return out;
}

/// Changes a correct trace in one way and gives the statements that the checker finds broken.
std::vector<std::string> broken_by(
    const std::function<void(std::vector<TraceRecord>&)>& break_trace) {
  const TraceTopology topology = diamond();
  std::vector<TraceRecord> records = right_trace();
  break_trace(records);
  return statements(records, {.topology = &topology});
}

TraceRecord& find(std::vector<TraceRecord>& records, TraceKind kind, std::uint32_t node) {
  return *std::ranges::find_if(records, [&](const TraceRecord& record) {
    return record.kind == kind && record.node_index == node;
  });
}

void erase(std::vector<TraceRecord>& records, TraceKind kind, std::uint32_t node) {
  std::erase_if(records, [&](const TraceRecord& record) {
    return record.kind == kind && record.node_index == node;
  });
}

void repeat(std::vector<TraceRecord>& records, TraceKind kind, std::uint32_t node) {
  const auto place = records.begin() + (&find(records, kind, node) - records.data());
  records.insert(place, TraceRecord(*place));
}

TEST(TraceValidateTest, AcceptsARightTrace) {
  EXPECT_THAT(broken_by([](auto&) {}), IsEmpty());
}

TEST(TraceValidateTest, AcceptsARightTraceWithAnySubsetOfFlags) {
  const TraceTopology topology = diamond();
  for (std::uint32_t bits = 1; bits < 64; ++bits) {
    const auto flags = static_cast<TraceFlag>(bits);
    TraceScript script(flags);
    script.run_start(0).queued(0, 0, 10).end(0, 20, SpanStatus::Error).inlined(1, 0, 20);
    script.end(1, 30).run_end(30, {.executed_count = 2, .skipped_count = 2});
    EXPECT_THAT(statements(script.records(), {.topology = &topology, .flags = flags}), IsEmpty())
        << bits;
  }
}

TEST(TraceValidateTest, T1_FindsNodeNeitherQueuedNorInlined) {
  EXPECT_THAT(broken_by([](auto& records) { erase(records, TraceKind::kQueueDelay, 2); }),
              ElementsAre("T1", "T1"));
}

TEST(TraceValidateTest, T1_FindsNodeQueuedAndInlined) {
  EXPECT_THAT(broken_by([](auto& records) {
                TraceRecord& inlined = find(records, TraceKind::kNodeInlined, 1);
                TraceRecord queued = inlined;
                queued.kind = TraceKind::kQueueDelay;
                queued.value = 0;
                records.insert(records.begin() + (&inlined - records.data()), queued);
              }),
              Contains("T1"));
}

TEST(TraceValidateTest, T1_FindsDelayLongerThanTheRun) {
  EXPECT_THAT(broken_by([](auto& records) { find(records, TraceKind::kQueueDelay, 0).value = 11; }),
              ElementsAre("T1"));
}

TEST(TraceValidateTest, T1_FindsAWaitThatBeganAtAnotherTimeThanTheProducersEnd) {
  const TraceTopology topology = diamond();
  const TraceFacts facts{.topology = &topology, .has_exact_waits = true};
  EXPECT_THAT(statements(right_trace(), facts), IsEmpty());
  for (const std::uint64_t wrong : {0U, 2U}) {
    std::vector<TraceRecord> records = right_trace();
    find(records, TraceKind::kQueueDelay, 2).value = wrong;
    EXPECT_THAT(statements(records, facts), ElementsAre("T1"));
  }
}

TEST(TraceValidateTest, T1_FindsNegativeDelay) {
  EXPECT_THAT(broken_by([](auto& records) {
                find(records, TraceKind::kQueueDelay, 0).value = static_cast<std::uint64_t>(-1);
              }),
              ElementsAre("T1"));
}

TEST(TraceValidateTest, T2_FindsDepthZero) {
  EXPECT_THAT(broken_by([](auto& records) { find(records, TraceKind::kNodeInlined, 1).depth = 0; }),
              ElementsAre("T2"));
}

TEST(TraceValidateTest, T2_FindsForeignSpanId) {
  EXPECT_THAT(broken_by([](auto& records) {
                find(records, TraceKind::kNodeInlined, 1).span_id = SpanId(12345);
              }),
              Contains("T2"));
}

TEST(TraceValidateTest, T2_FindsSpanIdOfAnotherNode) {
  EXPECT_THAT(broken_by([](auto& records) {
                find(records, TraceKind::kNodeInlined, 1).span_id =
                    find(records, TraceKind::kNodeStart, 3).span_id;
              }),
              Contains("T2"));
}

TEST(TraceValidateTest, T2_FindsParentThatIsNoProducer) {
  EXPECT_THAT(
      broken_by([](auto& records) { find(records, TraceKind::kNodeInlined, 3).parent = 0; }),
      ElementsAre("T2"));
}

TEST(TraceValidateTest, T2_FindsParentThatHadNotEnded) {
  EXPECT_THAT(broken_by([](auto& records) { find(records, TraceKind::kNodeEnd, 0).time_ns = 25; }),
              Contains("T2"));
}

TEST(TraceValidateTest, T3_FindsMissingNodeEnd) {
  EXPECT_THAT(broken_by([](auto& records) { erase(records, TraceKind::kNodeEnd, 3); }),
              ElementsAre("T3"));
}

TEST(TraceValidateTest, T3_FindsSecondNodeEnd) {
  EXPECT_THAT(broken_by([](auto& records) { repeat(records, TraceKind::kNodeEnd, 3); }),
              ElementsAre("T3"));
}

TEST(TraceValidateTest, T3_FindsNodeThatStartedTwice) {
  EXPECT_THAT(broken_by([](auto& records) { repeat(records, TraceKind::kNodeStart, 3); }),
              ElementsAre("T3", "T3", "T3"));
}

TEST(TraceValidateTest, T3_FindsEventAfterRunEnd) {
  EXPECT_THAT(
      broken_by([](auto& records) { std::swap(records.back(), records[records.size() - 2]); }),
      ElementsAre("T3"));
}

TEST(TraceValidateTest, T3_FindsEventLaterThanRunEnd) {
  EXPECT_THAT(broken_by([](auto& records) { records.back().time_ns = 59; }), ElementsAre("T3"));
}

TEST(TraceValidateTest, T3_FindsMissingAndRepeatedRunEnd) {
  EXPECT_THAT(broken_by([](auto& records) { records.pop_back(); }), ElementsAre("T3"));
  EXPECT_THAT(broken_by([](auto& records) { records.push_back(TraceRecord(records.back())); }),
              ElementsAre("T3"));
  EXPECT_THAT(statements({}, {}), ElementsAre("T3"));
}

TEST(TraceValidateTest, T3_FindsSkippedNodeEnd) {
  EXPECT_THAT(broken_by([](auto& records) {
                find(records, TraceKind::kNodeEnd, 3).status = SpanStatus::Skipped;
              }),
              ElementsAre("T3"));
}

TEST(TraceValidateTest, T3_FindsEndBeforeStart) {
  EXPECT_THAT(broken_by([](auto& records) { find(records, TraceKind::kNodeEnd, 3).time_ns = 49; }),
              ElementsAre("T3"));
}

TEST(TraceValidateTest, T3_FindsWrongTotals) {
  EXPECT_THAT(broken_by([](auto& records) { records.back().node_index = 3; }),
              ElementsAre("T3", "T1", "T3"));
  EXPECT_THAT(broken_by([](auto& records) { records.back().parent = 1; }), ElementsAre("T3"));
}

TEST(TraceValidateTest, T3_FindsErrorWithoutNodeErrorAndTheReverse) {
  EXPECT_THAT(broken_by([](auto& records) {
                find(records, TraceKind::kNodeEnd, 3).status = SpanStatus::Error;
              }),
              ElementsAre("T3"));
  EXPECT_THAT(broken_by([](auto& records) {
                TraceRecord error = find(records, TraceKind::kNodeEnd, 3);
                error.kind = TraceKind::kNodeError;
                records.insert(records.end() - 2, error);
              }),
              ElementsAre("T3"));
}

TEST(TraceValidateTest, T3_FindsUnknownNodeAndMixedRuns) {
  EXPECT_THAT(broken_by([](auto& records) {
                for (TraceRecord& record : records) {
                  if (record.node_index == 3) record.node_index = 17;
                }
              }),
              Contains("T3"));
  EXPECT_THAT(broken_by([](auto& records) { records[3].trace_id = TraceId(8); }),
              ElementsAre("T3"));
}

TEST(TraceValidateTest, I1_FindsInliningThatWasForbidden) {
  const TraceTopology topology = diamond();
  EXPECT_THAT(statements(right_trace(), {.topology = &topology, .is_inlining_enabled = false}),
              ElementsAre("I1", "I1"));

  TraceTopology one_more_async = diamond();
  one_more_async.nodes[3].is_async = true;
  EXPECT_THAT(statements(right_trace(), {.topology = &one_more_async}), ElementsAre("I1"));

  TraceTopology one_more_source = diamond();
  std::erase_if(one_more_source.edges, [](const auto& edge) { return edge.consumer == 3; });
  EXPECT_THAT(statements(right_trace(), {.topology = &one_more_source}), ElementsAre("I1"));
}

TEST(TraceValidateTest, K5_LazyNodeNeedNotRunNorBeStartedByAProducer) {
  const TraceTopology topology = TraceScript::dag(3, {{0, 1}});
  const std::vector<bool> lazy{false, false, true};
  TraceScript unused;
  unused.run_start(0).queued(0, 0, 0).end(0, 1).queued(1, 1, 1).end(1, 2);
  unused.run_end(2, {.executed_count = 2});
  EXPECT_THAT(statements(unused.records(), {.topology = &topology, .lazy_nodes = lazy}), IsEmpty());
  EXPECT_THAT(statements(unused.records(), {.topology = &topology}), ElementsAre("T3"));

  TraceScript taken;
  taken.run_start(0).queued(0, 0, 0).end(0, 1, SpanStatus::Error).inlined(2, 0, 1).end(2, 2);
  taken.queued(1, 2, 2).end(1, 3).run_end(3, {.executed_count = 3});
  EXPECT_THAT(statements(taken.records(), {.topology = &topology, .lazy_nodes = lazy}), IsEmpty());
}

TEST(TraceValidateTest, C8_NodeThatGaveUpBeforeItsStartIsNeitherExecutedNorSkipped) {
  const TraceTopology topology = TraceScript::dag(2, {{0, 1}});
  TraceScript script;
  script.run_start(0).queued(1, 5, 6).end(1, 7).run_end(7, {.executed_count = 1});
  EXPECT_THAT(statements(script.records(), {.topology = &topology, .may_give_up = true}),
              IsEmpty());
  EXPECT_THAT(statements(script.records(), {.topology = &topology}), ElementsAre("T3"));
}

}  // namespace
}  // namespace millrace::trace
