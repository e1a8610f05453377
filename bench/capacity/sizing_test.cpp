#include "bench/capacity/sizing.h"

#include <gtest/gtest.h>

#include "bench/capacity/fleet.h"
#include "bench/capacity/key_curve.h"

namespace millrace::bench {
namespace {

TEST(SizingTest, SIZ1_TheFormulasOfTheGuide) {
  RequestCost cost;
  cost.cpu_seconds = 96e-6;
  cost.rounds = 2;
  cost.keys_per_round = 5;
  cost.batch_seconds = 4e-6;
  cost.command_seconds = 2e-6;
  SizingQuestion question;
  question.requests_per_second = 1e5;
  const KeyCurve keys = zipf_curve(0, 1000);
  const Sizing sizing = size_fleet(question, cost, keys);
  EXPECT_EQ(sizing.machines, 1U);  // 9.6 cores of work in 9.6 planned ones
  EXPECT_EQ(sizing.shards, 10U);   // 6 shards of work, 0.6 of each planned
  EXPECT_EQ(sizing.connections, 160U);
  EXPECT_NEAR(sizing.busiest_shard, 0.6 + 0.006, 1e-9);
  question.served_from_cache = 0.5;
  EXPECT_EQ(size_fleet(question, cost, keys).shards, 5U);
}

TEST(SizingTest, SIZ6_CachingPaysWhileReadsOutweighMessagesOfWrites) {
  // 200 loops read the key again once a second; the other 9800 reads are saved, 49 per message.
  EXPECT_NEAR(caching_pays_below(10'000, 1, 200), 49, 1e-9);
  EXPECT_EQ(caching_pays_below(100, 1, 200), 0);
}

TEST(SizingTest, SIZ7_TheRegionsThatAreLeftKeepNineTenths) {
  const RegionResult planned = lose_one_region({.use = 0.6, .requests = 50'000});
  EXPECT_GE(planned.answered_part, 0.9);
  const RegionResult full = lose_one_region({.use = 1.0, .requests = 50'000});
  EXPECT_GE(full.capacity_part, 0.9);
  EXPECT_LT(full.answered_part, 0.75);
  const RegionResult far =
      lose_one_region({.use = 0.4, .round_trip_seconds = 0.2, .requests = 50'000});
  EXPECT_NEAR(far.refused_abroad, 1.0 / 3, 0.02);
}

}  // namespace
}  // namespace millrace::bench
