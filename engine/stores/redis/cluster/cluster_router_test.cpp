#include "stores/redis/cluster/cluster_router.h"

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

TEST(ClusterRouterTest, RED11_ABatchIsOneWriteToEachNodeAndKeepsItsOrder) {
  ClusterRig rig;
  rig.warm();
  rig.delay = 10ms;
  TestCall call({{"GET", "a"}, {"GET", "b"}, {"GET", "c"}, {"GET", "{b}2"}, {"GET", "{a}2"}});
  rig.submit(call);
  rig.loop.advance(10ms - 1ns);
  EXPECT_EQ(call.outcome(), "waits");
  rig.loop.advance(1ns);
  EXPECT_EQ(call.outcome(), R"("a@3" "b@1" "c@2" "{b}2@1" "{a}2@3" )");
  for (const std::uint16_t port : {1, 2, 3}) EXPECT_EQ(rig.nodes[port].write_count, 1U) << port;
  EXPECT_THAT(rig.nodes[1].commands, ElementsAre("GET b", "GET {b}2"));
}

TEST(ClusterRouterTest, RED11_TheOrderDoesNotDependOnWhoAnswersFirst) {
  ClusterRig rig;
  rig.warm();
  rig.nodes[3].is_mute = true;
  TestCall call({{"GET", "a"}, {"GET", "b"}, {"GET", "c"}});
  rig.submit(call);
  rig.loop.run_ready();
  EXPECT_EQ(call.outcome(), "waits");
  for (net::FakePeer* const peer : rig.peers) {
    if (peer->address().port == 3) peer->deliver(bulk("late"));
  }
  rig.loop.run_ready();
  EXPECT_EQ(call.outcome(), R"("late" "b@1" "c@2" )");
}

TEST(ClusterRouterTest, RED11_AnMgetOverSlotsIsOneReply) {
  ClusterRig rig;
  rig.nodes[2].replies["MGET c"] = "*1\r\n$-1\r\n";
  EXPECT_EQ(rig.outcome_of({{"MGET", "a", "c", "b"}}), R"(["a@3", null, "b@1"] )");
  rig.nodes[2].replies["MGET c"] = "-NOPERM no\r\n";
  EXPECT_EQ(rig.outcome_of({{"MGET", "a", "c", "b"}}), R"(error "NOPERM no" )");
}

TEST(ClusterRouterTest, RED5_AMuteNodeIsATimeoutExactly) {
  ClusterRig rig;
  rig.warm();
  rig.nodes[2].is_mute = true;
  TestCall call({{"GET", "b"}, {"GET", "c"}});
  rig.submit(call);
  rig.loop.advance(100ms - 1ns);
  EXPECT_EQ(call.outcome(), "waits");
  rig.loop.advance(1ns);
  EXPECT_EQ(call.outcome(), "timeout");
}

TEST(ClusterRouterTest, RED5_WaitingForTheMapCountsToo) {
  ClusterRig rig;
  rig.nodes[1].is_mute = true;
  TestCall call({{"GET", "b"}});
  rig.submit(call);
  rig.loop.advance(1s);
  ASSERT_TRUE(call.status);
  EXPECT_FALSE(*call.status);
}

TEST(ClusterRouterTest, WithdrawnCallsHearNothing) {
  ClusterRig rig;
  TestCall early({{"GET", "a"}});
  rig.submit(early);
  rig.router->withdraw(early);
  rig.warm();
  TestCall sent({{"GET", "a"}, {"GET", "b"}});
  rig.submit(sent);
  rig.router->withdraw(sent);
  TestCall next({{"GET", "a"}, {"GET", "b"}});
  rig.submit(next);
  rig.loop.run_ready();
  EXPECT_EQ(early.outcome(), "waits");
  EXPECT_EQ(sent.outcome(), "waits");
  EXPECT_EQ(next.outcome(), R"("a@3" "b@1" )");
  EXPECT_FALSE(sent.is_under_way());
}

TEST(ClusterRouterTest, ACallMayFollowAnotherFromInside) {
  ClusterRig rig;
  TestCall first({{"GET", "a"}});
  TestCall second({{"GET", "b"}});
  first.when_done = [&] { rig.submit(second); };
  rig.submit(first);
  rig.loop.run_ready();
  EXPECT_EQ(second.outcome(), R"("b@1" )");
}

TEST(ClusterRouterTest, RED6_WhenNoNodeCanBeReachedCallsAreRefusedAtOnce) {
  ClusterRig rig;
  rig.nodes[1].is_down = true;
  TestCall first({{"GET", "a"}});
  rig.submit(first);
  rig.loop.run_ready();
  EXPECT_EQ(first.outcome(), "unavailable");
  EXPECT_THAT(first.status->error().message(), HasSubstr("h:1"));
  TestCall second({{"GET", "a"}});
  rig.submit(second);
  EXPECT_EQ(second.outcome(), "unavailable");
  rig.nodes[1].is_down = false;
  rig.loop.advance(1s);
  EXPECT_EQ(rig.outcome_of({{"GET", "a"}}), R"("a@3" )");
}

}  // namespace
}  // namespace millrace::stores::testing
