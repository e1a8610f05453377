#include "stores/redis/cluster/cluster_map_reader.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/redis/cluster/cluster_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(ClusterMapReaderTest, RED11_TheFirstNodeGivesTheMap) {
  ClusterRig rig;
  rig.warm();
  EXPECT_EQ(rig.nodes[1].slots_count, 1U);
  EXPECT_EQ(rig.router->map_read_count(), 1U);
}

TEST(ClusterMapReaderTest, RED13_AnyOtherNodeGivesItLater) {
  ClusterRig rig;
  rig.warm();
  rig.loop.advance(200ms);
  rig.kill(1);
  rig.loop.advance(20ms);
  rig.ranges = {{10922, 2}, {16383, 3}};
  EXPECT_EQ(rig.outcome_of({{"GET", "b"}}), R"("b@2" )");
}

TEST(ClusterMapReaderTest, RED13_NodesThatGiveNoneArePassedOver) {
  ClusterRig rig;
  rig.warm();
  rig.loop.advance(200ms);
  rig.nodes[1].slots = "*0\r\n";
  rig.nodes[2].is_mute = true;
  rig.ranges = {{10922, 2}, {16383, 9}};
  // Node 3 has lost its slots, and the only one that gives the whole map is node 3 itself.
  EXPECT_EQ(rig.outcome_of({{"GET", "a"}}), R"("a@9" )");
  rig.loop.advance(500ms);
  EXPECT_EQ(rig.nodes[3].slots_count, 1U);
}

TEST(ClusterMapReaderTest, RED12_TheMapIsNotReadMoreOftenThanTheBound) {
  ClusterRig rig;
  rig.warm();
  rig.nodes[2].replies["GET c"] = "-MOVED 7365 h:3\r\n";
  rig.nodes[3].replies["GET c"] = "-MOVED 7365 h:2\r\n";
  for (int i = 0; i < 50; ++i) {
    static_cast<void>(rig.outcome_of({{"GET", "c"}}));
    rig.loop.advance(10ms);
  }
  EXPECT_GE(rig.router->map_read_count(), 4U);
  EXPECT_LE(rig.router->map_read_count(), 1U + 500ms / ClusterRouter::kMapReadsEvery);
}

TEST(ClusterMapReaderTest, AServerWithoutClusterSaysSo) {
  ClusterRig rig;
  rig.nodes[1].slots = "-ERR This instance has cluster support disabled\r\n";
  TestCall call({{"GET", "a"}});
  rig.submit(call);
  rig.loop.run_ready();
  ASSERT_TRUE(call.status);
  ASSERT_FALSE(*call.status);
  EXPECT_THAT(call.status->error().message(), HasSubstr("cluster support disabled"));
}

}  // namespace
}  // namespace millrace::stores::testing
