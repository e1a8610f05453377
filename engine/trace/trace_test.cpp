#include "trace/trace.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace millrace::trace {
namespace {

TEST(TraceFlagTest, BitsAreThoseOfTheContract) {
  EXPECT_EQ(static_cast<std::uint32_t>(TraceFlag::RunStart), 1u);
  EXPECT_EQ(static_cast<std::uint32_t>(TraceFlag::RunEnd), 2u);
  EXPECT_EQ(static_cast<std::uint32_t>(TraceFlag::NodeSpan), 4u);
  EXPECT_EQ(static_cast<std::uint32_t>(TraceFlag::NodeError), 8u);
  EXPECT_EQ(static_cast<std::uint32_t>(TraceFlag::QueueDelay), 16u);
  EXPECT_EQ(static_cast<std::uint32_t>(TraceFlag::InlineDetail), 1u << 5);
  EXPECT_EQ(TraceFlag::RunStart | TraceFlag::RunEnd | TraceFlag::NodeSpan | TraceFlag::NodeError |
                TraceFlag::QueueDelay | TraceFlag::InlineDetail,
            TraceFlag::All);
}

TEST(TraceFlagTest, HasFlagAsksForEveryBit) {
  const TraceFlag flags = TraceFlag::NodeSpan | TraceFlag::QueueDelay;
  EXPECT_TRUE(has_flag(flags, TraceFlag::NodeSpan));
  EXPECT_TRUE(has_flag(flags, TraceFlag::NodeSpan | TraceFlag::QueueDelay));
  EXPECT_FALSE(has_flag(flags, TraceFlag::NodeSpan | TraceFlag::RunEnd));
  EXPECT_FALSE(has_flag(TraceFlag::None, TraceFlag::RunEnd));
}

TEST(SpanStatusTest, NamesAreThoseOfTheContract) {
  EXPECT_EQ(to_string(SpanStatus::Ok), "ok");
  EXPECT_EQ(to_string(SpanStatus::Error), "error");
  EXPECT_EQ(to_string(SpanStatus::Cancelled), "cancelled");
  EXPECT_EQ(to_string(SpanStatus::Deadline), "deadline");
  EXPECT_EQ(to_string(SpanStatus::Skipped), "skipped");
}

}  // namespace
}  // namespace millrace::trace
