#include "server/nats/group_gate.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace millrace::server {
namespace {

using std::chrono::milliseconds;

/// A gate in virtual time.
struct GateRig {
  bool look(int after_ms, std::int64_t in_flight, bool was_refusing = false) {
    now += milliseconds(after_ms);
    return gate.look(now, {.in_flight = in_flight, .limit = 100, .was_refusing = was_refusing});
  }
  base::TimePoint now{};
  GroupGate gate;
};

TEST(GroupGateTest, NAT5_LeavesAfterAHundredMillisecondsAtTheLimit) {
  GateRig rig;
  EXPECT_TRUE(rig.look(0, 100));
  EXPECT_TRUE(rig.look(99, 100));
  EXPECT_FALSE(rig.look(1, 100));
}

TEST(GroupGateTest, NAT5_AMomentBelowTheLimitBeginsAnew) {
  GateRig rig;
  EXPECT_TRUE(rig.look(0, 100));
  EXPECT_TRUE(rig.look(90, 99));
  EXPECT_TRUE(rig.look(90, 100));
  EXPECT_TRUE(rig.look(99, 150));
  EXPECT_FALSE(rig.look(1, 150));
}

TEST(GroupGateTest, NAT5_RefusalsCountAsBeingOver) {
  GateRig rig;
  EXPECT_TRUE(rig.look(0, 3, true));
  EXPECT_FALSE(rig.look(100, 3, true));
  EXPECT_FALSE(rig.look(300, 3, true)) << "HTTP may keep it full";
  EXPECT_TRUE(rig.look(1, 3, false));
}

TEST(GroupGateTest, NAT5_ReturnsBelowEightyPercent) {
  GateRig rig;
  rig.look(0, 100);
  EXPECT_FALSE(rig.look(100, 100));
  EXPECT_FALSE(rig.look(250, 99));
  EXPECT_FALSE(rig.look(250, 80));
  EXPECT_TRUE(rig.look(1, 79));
}

TEST(GroupGateTest, NAT5_ChangesAtMostOncePerQuarterSecond) {
  GateRig rig;
  rig.look(0, 100);
  EXPECT_FALSE(rig.look(100, 100));
  EXPECT_FALSE(rig.look(249, 0));
  EXPECT_TRUE(rig.look(1, 0));
  // It is full again at once, and for longer than its patience.
  EXPECT_TRUE(rig.look(1, 100));
  EXPECT_TRUE(rig.look(248, 100));
  EXPECT_FALSE(rig.look(1, 100));
}

/// Fills the gate at once after each return. Gives how long it was away each time, in ms.
std::vector<int> pauses_of_a_slow_member(GateRig& rig, int count) {
  std::vector<int> pauses;
  while (static_cast<int>(pauses.size()) < count) {
    while (rig.look(10, 100)) continue;
    int away_ms = 0;
    do {
      away_ms += 10;
    } while (!rig.look(10, 0));
    pauses.push_back(away_ms);
  }
  return pauses;
}

TEST(GroupGateTest, NAT5_WhoIsFullAgainAtOnceStaysAwayLonger) {
  GateRig rig;
  EXPECT_EQ(pauses_of_a_slow_member(rig, 6), (std::vector<int>{250, 500, 1000, 1000, 1000, 1000}));
  // It serves its turn for half a second: the next time counts as the first.
  EXPECT_TRUE(rig.look(500, 10));
  EXPECT_EQ(pauses_of_a_slow_member(rig, 3), (std::vector<int>{250, 500, 1000}));
}

TEST(GroupGateTest, NAT5_ASlowMemberOfTwoGetsAtMostAFifth) {
  // While it is in the group, each of two members gets the same; after two seconds.
  GateRig rig;
  int inside_ms = 0;
  int all_ms = 0;
  for (int now_ms = 0; now_ms < 60'000; now_ms += 20) {
    const bool is_joined = rig.look(20, rig.gate.is_joined() ? 100 : 0);
    if (now_ms < 2000) continue;
    inside_ms += is_joined ? 20 : 0;
    all_ms += is_joined ? 40 : 20;
  }
  EXPECT_LE(inside_ms * 5, all_ms);
}

TEST(GroupGateTest, NAT5_NoLoadMakesItChangeMoreOften) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    base::SplitMix64 random(seed);
    GateRig rig;
    bool was_joined = true;
    base::TimePoint changed{};
    bool has_changed = false;
    for (int step = 0; step < 500; ++step) {
      const auto load = static_cast<std::int64_t>(random.below(130));
      const bool joined = rig.look(static_cast<int>(random.below(40)), load, random.below(4) == 0);
      if (joined == was_joined) continue;
      if (has_changed) {
        EXPECT_GE(rig.now - changed, GroupGate::kPause) << "seed " << seed;
      }
      if (joined) {
        EXPECT_LT(load, 80) << "seed " << seed;
      }
      changed = rig.now;
      has_changed = true;
      was_joined = joined;
    }
  }
}

TEST(GroupGateTest, IsRestlessWhileTimeMayChangeIt) {
  GateRig rig;
  rig.look(0, 1);
  EXPECT_FALSE(rig.gate.is_restless());
  rig.look(1, 100);
  EXPECT_TRUE(rig.gate.is_restless());
  rig.look(100, 100);
  EXPECT_TRUE(rig.gate.is_restless());
}

}  // namespace
}  // namespace millrace::server
