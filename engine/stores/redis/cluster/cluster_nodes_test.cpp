#include "stores/redis/cluster/cluster_nodes.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "stores/redis/cluster/cluster_fixture.h"

namespace millrace::stores::testing {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

struct CountingListener final : PoolListener {
  void on_invalidated(std::optional<std::vector<std::string>> keys) override {
    if (!keys) ++all_count;
  }
  int all_count = 0;
};

TEST(ClusterNodesTest, RED13_NodesWithoutSlotsAreDroppedAndTheirKeysForgotten) {
  CountingListener listener;
  ClusterRig rig(RedisRig::pool_settings(), &listener);
  rig.warm();
  rig.loop.advance(200ms);
  EXPECT_EQ(rig.router->nodes().pools().size(), 3U);
  EXPECT_EQ(listener.all_count, 0);
  const std::uint64_t commands = rig.cells.commands.value();
  rig.ranges = {{5460, 1}, {16383, 3}};
  EXPECT_EQ(rig.outcome_of({{"GET", "c"}}), R"("c@3" )");
  rig.loop.advance(200ms);
  EXPECT_EQ(rig.router->nodes().pools().size(), 2U);
  EXPECT_EQ(listener.all_count, 1);
  EXPECT_EQ(rig.connector.open_count(), 2U);
  // Two for the key, one for the map.
  EXPECT_EQ(rig.cells.commands.value(), commands + 3);
}

TEST(ClusterNodesTest, ANodeInUseIsDroppedLater) {
  ClusterRig rig;
  rig.warm();
  rig.loop.advance(200ms);
  rig.nodes[2].is_mute = true;
  TestCall waiting({{"GET", "c"}});
  rig.submit(waiting);
  rig.loop.run_ready();
  rig.nodes[3].once["GET a"] = {"-MOVED 15495 h:1\r\n"};
  rig.ranges = {{16383, 1}};
  EXPECT_EQ(rig.outcome_of({{"GET", "a"}}), R"("a@1" )");
  rig.loop.advance(50ms);
  EXPECT_EQ(waiting.outcome(), "waits");
  rig.loop.advance(1s);
  EXPECT_EQ(waiting.outcome(), "timeout");
  EXPECT_EQ(rig.router->nodes().pools().size(), 1U);
}

}  // namespace
}  // namespace millrace::stores::testing
