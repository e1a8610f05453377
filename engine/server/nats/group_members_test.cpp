#include "server/nats/group_members.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nats/link_fixture.h"

namespace millrace::server {
namespace {

using nats::testing::FakeLink;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Heard final : GroupRequests {
  void on_request(const std::string& plan, bool has_left, nats::Message message) override {
    lines.push_back(plan + (has_left ? " left " : " ") + message.data);
  }
  std::vector<std::string> lines;
};

struct MembersRig {
  void settle(const std::vector<std::string>& plans, bool is_full = false) {
    EXPECT_THAT(members.settle(link, plans, is_full), IsEmpty());
  }
  FakeLink link;
  Heard heard;
  GroupMembers members{heard, {.group = "rankd", .prefix = "rank"}};
};

TEST(GroupMembersTest, NAT1_OneSubscriptionPerPlanFollowsTheLoadedPlans) {
  MembersRig rig;
  rig.settle({"a", "b"});
  EXPECT_THAT(rig.link.joined(), ElementsAre("rank.a rankd", "rank.b rankd"));
  rig.settle({"b", "c"});
  EXPECT_THAT(rig.link.joined(), ElementsAre("rank.b rankd", "rank.c rankd"));
  EXPECT_EQ(rig.members.joined_count(), 2U);
  EXPECT_EQ(rig.link.deliver({.subject = "rank.c", .data = "x"}), 1U);
  EXPECT_THAT(rig.heard.lines, ElementsAre("c x"));
}

TEST(GroupMembersTest, NAT5_WhatComesAfterLeavingIsMarkedOnlyIfTheProcessIsFull) {
  MembersRig rig;
  rig.settle({"a"});
  rig.settle({}, true);
  rig.link.deliver({.subject = "rank.a", .data = "1"});
  rig.settle({"a"});
  EXPECT_TRUE(rig.members.is_leaving());
  rig.link.end_leaving();
  rig.settle({"a"});
  EXPECT_FALSE(rig.members.is_leaving());
  rig.link.deliver({.subject = "rank.a", .data = "2"});
  rig.settle({}, false);
  rig.link.deliver({.subject = "rank.a", .data = "3"});
  EXPECT_THAT(rig.heard.lines, ElementsAre("a left 1", "a 2", "a 3"));
}

TEST(GroupMembersTest, NAT7_WithoutAConnectionThereIsNothingToWaitFor) {
  MembersRig rig;
  rig.settle({"a"});
  rig.link.set_state(nats::LinkState::kDown);
  rig.settle({});
  EXPECT_FALSE(rig.members.is_leaving());
  EXPECT_EQ(rig.members.joined_count(), 0U);
}

TEST(GroupMembersTest, NothingComesAfterAllIsDropped) {
  MembersRig rig;
  rig.settle({"a"});
  rig.members.drop_all();
  EXPECT_EQ(rig.link.deliver({.subject = "rank.a"}), 0U);
}

}  // namespace
}  // namespace millrace::server
