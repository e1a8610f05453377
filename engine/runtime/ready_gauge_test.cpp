#include "runtime/ready_gauge.h"

#include <gtest/gtest.h>

namespace millrace::runtime {
namespace {

TEST(ReadyGaugeTest, SumsShardsWhereverANodeIsTakenOff) {
  ShardedReadyGauge gauge(3);
  gauge.add(0, 5);
  gauge.add(1, 2);
  gauge.sub(2, 4);
  EXPECT_EQ(gauge.ready_count(), 3);
  gauge.sub(2, 3);
  EXPECT_EQ(gauge.ready_count(), 0);
}

TEST(ReadyGaugeTest, NeverReadsBelowZero) {
  ShardedReadyGauge gauge(1);
  gauge.sub(0, 2);
  EXPECT_EQ(gauge.ready_count(), 0);
}

}  // namespace
}  // namespace millrace::runtime
