#include "stores/redis/cluster/cluster_batch.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/redis/cluster/cluster_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(ClusterBatchTest, RED12_AMovedSlotIsFollowedAndRemembered) {
  ClusterRig rig;
  rig.warm();
  rig.ranges = {{5460, 1}, {16383, 3}};
  EXPECT_EQ(rig.outcome_of({{"GET", "c"}, {"GET", "b"}}), R"("c@3" "b@1" )");
  EXPECT_THAT(rig.nodes[2].commands, ElementsAre("GET c"));
  EXPECT_EQ(rig.outcome_of({{"GET", "c"}}), R"("c@3" )");
  EXPECT_THAT(rig.nodes[2].commands, ElementsAre("GET c"));
}

TEST(ClusterBatchTest, RED12_AMovedSlotMayNameANewNode) {
  ClusterRig rig;
  rig.warm();
  rig.ranges = {{5460, 1}, {10922, 9}, {16383, 3}};
  EXPECT_EQ(rig.outcome_of({{"GET", "c"}}), R"("c@9" )");
}

TEST(ClusterBatchTest, RED12_RedirectsAreBounded) {
  ClusterRig rig;
  rig.warm();
  rig.nodes[2].replies["GET c"] = "-MOVED 7365 h:3\r\n";
  rig.nodes[3].replies["GET c"] = "-MOVED 7365 h:2\r\n";
  EXPECT_EQ(rig.outcome_of({{"GET", "c"}, {"GET", "b"}}), R"(error "MOVED 7365 h:2" "b@1" )");
  EXPECT_EQ(rig.nodes[2].commands.size() + rig.nodes[3].commands.size(),
            1U + ClusterBatch::kRedirectsMax);
}

TEST(ClusterBatchTest, RED12_AskIsFollowedOnceWithAsking) {
  ClusterRig rig;
  rig.warm();
  rig.nodes[2].once["GET c"] = {"-ASK 7365 h:3\r\n"};
  EXPECT_EQ(rig.outcome_of({{"GET", "c"}, {"GET", "a"}}), R"("c@3" "a@3" )");
  EXPECT_THAT(rig.nodes[3].commands, ElementsAre("GET a", "ASKING", "GET c"));
  EXPECT_EQ(rig.outcome_of({{"GET", "c"}}), R"("c@2" )");
  EXPECT_EQ(rig.router->map_read_count(), 1U);
}

TEST(ClusterBatchTest, RED12_TryAgainIsTriedAgainAfterAWait) {
  ClusterRig rig;
  rig.warm();
  rig.nodes[2].once["GET c"] = {"-TRYAGAIN moving\r\n", "-TRYAGAIN moving\r\n"};
  TestCall call({{"GET", "c"}, {"GET", "b"}});
  rig.submit(call);
  rig.loop.run_ready();
  EXPECT_EQ(call.outcome(), "waits");
  EXPECT_EQ(rig.nodes[2].commands.size(), 1U);
  rig.loop.advance(15ms);
  EXPECT_EQ(call.outcome(), R"("c@2" "b@1" )");
  EXPECT_EQ(rig.nodes[2].commands.size(), 3U);
  EXPECT_EQ(rig.nodes[1].commands.size(), 1U);
}

TEST(ClusterBatchTest, RED12_AClusterThatStaysDownIsAnErrorWithinTheTime) {
  ClusterRig rig;
  rig.warm();
  rig.nodes[2].replies["GET c"] = "-CLUSTERDOWN Hash slot not served\r\n";
  TestCall call({{"GET", "b"}, {"GET", "c"}});
  rig.submit(call);
  rig.loop.advance(100ms);
  EXPECT_EQ(call.outcome(), R"("b@1" error "CLUSTERDOWN Hash slot not served" )");
  EXPECT_GT(rig.nodes[2].commands.size(), 2U);
  EXPECT_LT(rig.nodes[2].commands.size(), 12U);
}

TEST(ClusterBatchTest, RED13_ALostNodeIsReplacedByWhoTookItsSlots) {
  ClusterRig rig;
  rig.warm();
  rig.loop.advance(200ms);
  rig.nodes[2].is_mute = true;
  TestCall call({{"GET", "c"}, {"GET", "b"}});
  rig.submit(call);
  rig.loop.run_ready();
  rig.ranges = {{5460, 1}, {16383, 3}};
  rig.kill(2);
  rig.loop.run_ready();
  EXPECT_EQ(call.outcome(), R"("c@3" "b@1" )");
}

TEST(ClusterBatchTest, RED13_ALostNodeThatNobodyReplacedIsAnErrorOfItsKeysOnly) {
  ClusterRig rig;
  rig.warm();
  rig.kill(2);
  rig.loop.advance(20ms);
  const std::string outcome = rig.outcome_of({{"GET", "c"}, {"GET", "b"}});
  EXPECT_THAT(outcome, HasSubstr(R"(error "NODEDOWN The store cannot be reached: h:2)"));
  EXPECT_THAT(outcome, HasSubstr(R"("b@1")"));
}

TEST(ClusterBatchTest, RED13_ASlotThatNobodyHasIsAnError) {
  ClusterRig rig;
  rig.ranges = {{10922, 1}};
  EXPECT_EQ(rig.outcome_of({{"GET", "a"}, {"GET", "b"}}),
            R"(error "NODEDOWN No node has slot 15495" "b@1" )");
}

}  // namespace
}  // namespace millrace::stores::testing
