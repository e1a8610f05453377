#include "graph/watch/health.h"

#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

namespace millrace::graph {
namespace {

TEST(HealthSink, G66_AddsUpEventsOfOneKindAndPlace) {
  HealthSink sink;
  EXPECT_TRUE(sink.add({.kind = HealthKind::kSchedulerReject, .lane = 1, .count = 3}));
  EXPECT_TRUE(sink.add({.kind = HealthKind::kSchedulerReject, .lane = 1, .count = 2}));
  EXPECT_TRUE(sink.add({.kind = HealthKind::kSchedulerReject, .lane = 2}));
  ASSERT_EQ(sink.events().size(), 2U);
  EXPECT_EQ(sink.events()[0].count, 5U);
  EXPECT_EQ(sink.event_count(), 3U);
}

TEST(HealthSink, G66_KeepsSixtyFourAndCountsTheRest) {
  HealthSink sink;
  for (std::uint32_t i = 0; i < 70; ++i) {
    const bool is_kept = sink.add({.kind = HealthKind::kChannelOverflow, .channel = i});
    EXPECT_EQ(is_kept, i < HealthSink::kEventsMax);
  }
  EXPECT_TRUE(sink.add({.kind = HealthKind::kChannelOverflow, .channel = 63}));
  EXPECT_EQ(sink.events().size(), HealthSink::kEventsMax);
  EXPECT_EQ(sink.dropped_count(), 6U);
}

TEST(HealthSink, NamesAreThoseOfTheContract) {
  EXPECT_EQ(to_string(HealthKind::kChannelOverflow), "channel_overflow");
  EXPECT_EQ(to_string(HealthKind::kBackpressureHighWatermark), "backpressure_high_watermark");
  EXPECT_EQ(to_string(HealthKind::kMaxAge), "max_age");
}

}  // namespace
}  // namespace millrace::graph
