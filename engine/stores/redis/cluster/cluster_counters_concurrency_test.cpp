#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "base/metrics/metric_binding.h"
#include "base/metrics/metrics_registry.h"
#include "base/result.h"
#include "loop/loop_fixture.h"
#include "rows/row_scratch.h"
#include "stores/redis/cluster/cluster_fixture.h"
#include "stores/redis/redis_client.h"
#include "stores/store_client.h"
#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

// This thread is the loop's; the reader is any other.
TEST(ClusterCountersTest, AnyThreadMayReadThemWhileNodesComeAndGo) {
  ClusterRig rig;
  rows::RowScratch scratch;
  RedisSettings settings;
  settings.pool = RedisRig::pool_settings();
  settings.cluster = true;
  base::MetricsRegistry metrics;
  RedisClient client(rig.loop, rig.connector, settings, 1);
  base::MetricBinding binding(metrics);
  client.bind_metrics(binding, "users");
  std::atomic<bool> is_done{false};
  std::jthread reader([&] {
    std::uint64_t last = 0;
    while (!is_done.load()) {
      const std::uint64_t now = client.counters().commands;
      EXPECT_GE(now, last);
      last = now;
      EXPECT_FALSE(metrics.snapshot().empty());
      std::this_thread::yield();
    }
  });
  std::set<std::size_t> pool_counts;
  for (int round = 0; round < 40; ++round) {
    rig.ranges.clear();
    if (round % 2 == 0) rig.ranges = {{5460, 1}, {10922, 2}};
    rig.ranges.push_back({16383, static_cast<std::uint16_t>(round % 2 == 0 ? 3 : 1)});
    loop::Outcome<base::Result<StoreReply>> outcome;
    loop::start(
        rig.loop,
        client.execute({.command = StoreCommand::kGet, .keys = make_keys({"a", "b", "c"}, scratch)},
                       {}),
        outcome);
    rig.loop.advance(300ms);
    ASSERT_TRUE(outcome.is_done());
    EXPECT_TRUE(outcome.value().has_value());
    pool_counts.insert(client.cluster().nodes().pools().size());
  }
  is_done.store(true);
  reader.join();
  EXPECT_TRUE(pool_counts.contains(1)) << "no node was ever dropped";
  EXPECT_TRUE(pool_counts.contains(3));
  EXPECT_GE(client.counters().commands, 120U) << "what dropped nodes did is still counted";
}

}  // namespace
}  // namespace millrace::stores::testing
