#include "trace/trace_buffer.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "trace/trace_record.h"

namespace millrace::trace {
namespace {

TraceRecord numbered(std::uint32_t number) {
  TraceRecord record;
  record.node_index = number;
  record.value = number;
  return record;
}

TEST(TraceBufferTest, CapacityIsRoundedUpToAPowerOfTwo) {
  EXPECT_EQ(TraceBuffer(0).capacity(), 2u);
  EXPECT_EQ(TraceBuffer(5).capacity(), 8u);
  EXPECT_EQ(TraceBuffer(8).capacity(), 8u);
}

TEST(TraceBufferTest, T4_FullBufferDropsTheNewestAndCountsIt) {
  TraceBuffer buffer(4);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_TRUE(buffer.record(numbered(i)));
  EXPECT_FALSE(buffer.record(numbered(4)));
  EXPECT_FALSE(buffer.record(numbered(5)));
  EXPECT_EQ(buffer.dropped_count(), 2u);

  std::vector<TraceRecord> out;
  EXPECT_EQ(buffer.drain(out), 4u);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(out[i].node_index, i);
}

TEST(TraceBufferTest, DrainingMakesRoomAgain) {
  TraceBuffer buffer(2);
  std::vector<TraceRecord> out;
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(buffer.record(numbered(i)));
    if (i % 2 == 1) ASSERT_EQ(buffer.drain(out), 2u);
  }
  ASSERT_EQ(out.size(), 100u);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(out[i].node_index, i);
  EXPECT_EQ(buffer.dropped_count(), 0u);
}

}  // namespace
}  // namespace millrace::trace
