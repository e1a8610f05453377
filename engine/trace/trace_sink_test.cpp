#include "trace/trace_sink.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "trace/trace.h"
#include "trace/trace_fixture.h"
#include "trace/trace_record.h"

namespace millrace::trace {
namespace {

TEST(MemorySinkTest, KeepsTheNewestRunsAndCountsTheOthers) {
  MemorySink sink(2);
  TraceScript script;
  script.run_end(1, {});
  const std::vector<TraceRecord> records = script.records();
  for (std::uint64_t id = 1; id <= 3; ++id) {
    sink.consume({.trace_id = TraceId(id), .records = records, .topology = nullptr});
  }
  const auto runs = sink.take();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].trace_id, TraceId(2));
  EXPECT_EQ(runs[1].trace_id, TraceId(3));
  EXPECT_EQ(runs[1].records.size(), 1u);
  EXPECT_EQ(sink.evicted_count(), 1u);
  EXPECT_TRUE(sink.take().empty());
}

}  // namespace
}  // namespace millrace::trace
