#include "trace/trace_order.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "trace/trace_record.h"

namespace millrace::trace {
namespace {

TraceRecord made(TraceKind kind, std::uint32_t node, std::int64_t ns, std::uint16_t track = 0) {
  TraceRecord record;
  record.kind = kind;
  record.node_index = node;
  record.span_id = SpanId(node + 1);
  record.time_ns = ns;
  record.track = track;
  return record;
}

std::vector<std::pair<TraceKind, std::uint32_t>> ordered(std::vector<TraceRecord> records) {
  order_run(records);
  std::vector<std::pair<TraceKind, std::uint32_t>> out;
  out.reserve(records.size());
  for (const TraceRecord& record : records) out.emplace_back(record.kind, record.node_index);
  return out;
}

using enum TraceKind;
using Order = std::vector<std::pair<TraceKind, std::uint32_t>>;

TEST(TraceOrderTest, MergesThreadsByTime) {
  EXPECT_EQ(ordered({made(kNodeStart, 1, 20, 1),
                     made(kNodeEnd, 1, 40, 1),
                     made(kNodeStart, 0, 10, 0),
                     made(kNodeEnd, 0, 30, 0)}),
            Order({{kNodeStart, 0}, {kNodeStart, 1}, {kNodeEnd, 0}, {kNodeEnd, 1}}));
}

TEST(TraceOrderTest, T3_RunEndIsLastAmongEqualTimes) {
  EXPECT_EQ(ordered({made(kRunEnd, 9, 10, 0), made(kNodeEnd, 0, 10, 1), made(kRunStart, 9, 10, 2)}),
            Order({{kRunStart, 9}, {kNodeEnd, 0}, {kRunEnd, 9}}));
}

TEST(TraceOrderTest, T3_AnEventAfterRunEndStaysAfterIt) {
  EXPECT_EQ(ordered({made(kNodeEnd, 0, 11, 1), made(kRunEnd, 9, 10, 0)}),
            Order({{kRunEnd, 9}, {kNodeEnd, 0}}));
}

TEST(TraceOrderTest, KeepsAThreadsOwnOrderAtEqualTimes) {
  std::vector<TraceRecord> records;
  Order expected;
  for (std::uint32_t node = 0; node < 50; ++node) {
    records.push_back(made(kNodeStart, node, 5));
    records.push_back(made(kNodeEnd, node, 5));
    expected.insert(expected.end(), {{kNodeStart, node}, {kNodeEnd, node}});
  }
  EXPECT_EQ(ordered(records), expected);
}

TEST(TraceOrderTest, EndByAnotherThreadComesAfterTheStartItEnds) {
  EXPECT_EQ(
      ordered({made(kNodeError, 0, 5, 0),
               made(kNodeEnd, 0, 5, 0),
               made(kNodeEnd, 1, 5, 0),
               made(kNodeStart, 0, 5, 1),
               made(kQueueDelay, 0, 5, 1)}),
      Order({{kNodeEnd, 1}, {kNodeStart, 0}, {kNodeError, 0}, {kNodeEnd, 0}, {kQueueDelay, 0}}));
}

}  // namespace
}  // namespace millrace::trace
