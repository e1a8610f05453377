#include "bench/capacity/fleet.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "bench/capacity/key_curve.h"

namespace millrace::bench {
namespace {

/// Keys that are hardly ever drawn twice.
const KeyCurve& cold_keys() {
  static const KeyCurve kKeys = zipf_curve(0, 100'000'000 / 100);
  return kKeys;
}

TEST(FleetTest, SIZ2_OneRequestAtATimeTakesTheSumOfItsParts) {
  const RequestCost cost;
  FleetSettings settings;
  settings.shards = 1;
  const FleetResult result =
      simulate(settings, cost, cold_keys(), {.in_flight = 1, .requests = 1000});
  const double shard = cost.batch_seconds + cost.command_seconds * cost.keys_per_round;
  const double expected = cost.cpu_seconds + cost.rounds * (2 * cost.wire_seconds + shard);
  EXPECT_NEAR(result.p50_seconds, expected, expected * 1e-6);
  EXPECT_NEAR(result.requests_per_second, 1 / expected, 0.01 / expected);
}

TEST(FleetTest, SIZ2_EqualSeedsGiveEqualResultsAndOthersDoNot) {
  FleetSettings settings;
  settings.shards = 4;
  const auto play = [&](std::uint64_t seed) {
    return simulate(settings,
                    RequestCost(),
                    zipf_curve(1.1, 10'000),
                    {.requests_per_second = 20'000, .requests = 5000, .seed = seed});
  };
  const FleetResult one = play(7);
  const FleetResult same = play(7);
  EXPECT_EQ(one.requests_per_second, same.requests_per_second);
  EXPECT_EQ(one.p50_seconds, same.p50_seconds);
  EXPECT_EQ(one.p99_seconds, same.p99_seconds);
  EXPECT_EQ(one.busiest_shard, same.busiest_shard);
  EXPECT_EQ(one.commands_per_request, same.commands_per_request);
  EXPECT_NE(one.p99_seconds, play(8).p99_seconds);
}

TEST(FleetTest, SIZ2_TheSlowestPartBoundsTheRate) {
  RequestCost cost;
  FleetSettings settings;
  settings.shards = 64;
  const FleetResult by_cpu = simulate(settings, cost, cold_keys(), {.requests = 20'000});
  EXPECT_NEAR(by_cpu.requests_per_second * cost.cpu_seconds, 1, 0.02);
  EXPECT_NEAR(by_cpu.mean_process, 1, 0.02);
  cost.cpu_seconds = 1e-6;
  settings.shards = 1;
  const FleetResult by_shard = simulate(settings, cost, cold_keys(), {.requests = 20'000});
  EXPECT_NEAR(by_shard.busiest_shard, 1, 0.02);
}

TEST(FleetTest, SIZ2_StationsOfOneMachineShareItsCores) {
  RequestCost cost;
  cost.command_seconds = 15e-6;
  FleetSettings settings;
  settings.is_one_machine = true;
  settings.cores = 1;
  const FleetResult one = simulate(settings, cost, cold_keys(), {.requests = 20'000});
  const double shard =
      cost.rounds * (cost.batch_seconds + cost.command_seconds * cost.keys_per_round);
  EXPECT_NEAR(one.requests_per_second * (cost.cpu_seconds + shard), 1, 0.02);
}

TEST(FleetTest, SIZ6_SingleFlightAndCacheTakeTheLoadOfHotKeys) {
  const KeyCurve keys = zipf_curve(1.2, 10'000);
  FleetSettings settings;
  settings.processes = 4;
  settings.shards = 8;
  const FleetLoad load{.requests_per_second = 30'000, .requests = 20'000};
  settings.single_flight = false;
  const FleetResult plain = simulate(settings, {}, keys, load);
  settings.single_flight = true;
  const FleetResult shared = simulate(settings, {}, keys, load);
  settings.cache_seconds = 1;
  const FleetResult cached = simulate(settings, {}, keys, load);
  EXPECT_LT(shared.commands_per_request, plain.commands_per_request);
  EXPECT_LT(cached.commands_per_request, shared.commands_per_request / 2);
  EXPECT_LT(cached.busiest_shard, plain.busiest_shard);
}

TEST(FleetTest, SIZ2_WhatIsTooMuchIsRefusedAndWhatIsLateIsCounted) {
  FleetSettings settings;
  settings.admitted_max = 16;
  const FleetLoad load{.requests_per_second = 100'000, .requests = 20'000};
  const FleetResult refused = simulate(settings, {}, cold_keys(), load);
  EXPECT_GT(refused.refused, 5000U);
  EXPECT_EQ(refused.late, 0U);
  settings.admitted_max = 100'000;
  settings.deadline_seconds = 0.01;
  const FleetResult late = simulate(settings, {}, cold_keys(), load);
  EXPECT_GT(late.late, 50U);
  EXPECT_EQ(late.p99_seconds, 0.01);
}

TEST(FleetTest, SIZ2_CommandsBeyondTheBoundOfALoopWait) {
  RequestCost cost;
  FleetSettings settings;
  settings.max_inflight = 4;
  const FleetResult bounded = simulate(settings, cost, cold_keys(), {.requests = 5000});
  settings.max_inflight = 4096;
  const FleetResult free = simulate(settings, cost, cold_keys(), {.requests = 5000});
  EXPECT_LT(bounded.requests_per_second, free.requests_per_second * 0.9);
}

}  // namespace
}  // namespace millrace::bench
