#include "stores/redis/fetch_wait.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "loop/stop.h"
#include "stores/redis/client_fixture.h"

namespace millrace::stores::testing {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(FetchWaitTest, RED5_ManyDeadlinesEndAtTheirOwnTime) {
  ClientRig rig;
  rig.replies["GET a"] = bulk("A");
  const auto warm = rig.get({"a"});
  rig.loop.run_ready();
  rig.is_mute = true;
  base::SplitMix64 random(5);
  std::vector<std::unique_ptr<StartedBatch>> batches;
  std::vector<base::TimePoint> deadlines;
  for (int i = 0; i < 50; ++i) {
    deadlines.push_back(rig.clock.now() + std::chrono::milliseconds(1 + random.below(20)));
    batches.push_back(rig.get({"k" + std::to_string(i % 7)}, {.deadline = deadlines.back()}));
  }
  for (int step = 0; step < 21; ++step) {
    for (std::size_t i = 0; i < batches.size(); ++i) {
      EXPECT_EQ(batches[i]->is_done(), deadlines[i] <= rig.clock.now()) << i;
    }
    rig.loop.advance(1ms);
  }
}

TEST(FetchWaitTest, RED5_RandomDeadlinesStopsAndLossesEndEveryBatchOnce) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RedisSettings settings = ClientRig::client_settings();
    settings.pool.connections = 2;
    settings.pool.commands_max = 8;
    settings.hedge_after = seed % 2 == 0 ? base::Duration(3ms) : base::Duration(0);
    ClientRig rig(settings);
    base::SplitMix64 random(seed);
    rig.other = bulk("v");
    std::vector<std::unique_ptr<loop::StopSource>> stops;
    std::vector<std::unique_ptr<StartedBatch>> batches;
    for (int step = 0; step < 300; ++step) {
      rig.delay = std::chrono::milliseconds(random.below(8));
      rig.is_mute = random.chance(0.05);
      rig.split = random.below(3);
      stops.push_back(std::make_unique<loop::StopSource>());
      CallOptions options{.stop = stops.back()->token()};
      if (random.chance(0.5)) {
        options.deadline = rig.clock.now() + std::chrono::milliseconds(1 + random.below(20));
      }
      const std::string key = "k" + std::to_string(random.below(5));
      batches.push_back(rig.get({key, "x", key}, options));
      if (random.chance(0.1)) stops[random.below(stops.size())]->request_stop();
      const std::size_t peers = rig.connector.peer_count();
      if (peers != 0 && random.chance(0.03)) rig.connector.peer(random.below(peers)).reset();
      rig.loop.advance(std::chrono::milliseconds(random.below(4)));
    }
    rig.is_mute = false;
    rig.loop.advance(1s);
    std::size_t good = 0;
    for (const auto& batch : batches) {
      ASSERT_TRUE(batch->is_done());
      if (!batch->value()) continue;
      ++good;
      EXPECT_EQ(ClientRig::shown(batch), "[v][v][v]");
    }
    EXPECT_GT(good, 20U) << seed;
  }
}

}  // namespace
}  // namespace millrace::stores::testing
