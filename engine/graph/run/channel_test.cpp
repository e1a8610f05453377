#include "graph/run/channel.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "graph/body/message.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"
#include "graph/payload.h"
#include "graph/watch/graph_cells.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

struct ChannelTest : testing::Test {
  ChannelCells cells;
  std::uint64_t arrival = 0;

  static Message message(std::int64_t value, Duration at = {}) {
    return {.value = Payload(value), .published_at = at};
  }
  PushOutcome put(Channel& channel, std::int64_t value, Duration at = {}) {
    if (channel.is_deferred()) channel.expect();
    return channel.push(message(value, at), ++arrival);
  }
  static std::string take(Channel& channel, Duration now = {}) {
    Message out;
    bool is_late = false;
    channel.take(out, now, is_late);
    return out.value.to_json() + (is_late ? " late" : "");
  }
  static std::string take_all(Channel& channel, Duration now = {}) {
    std::string all;
    while (channel.available() > 0) all += (all.empty() ? "" : ",") + take(channel, now);
    return all;
  }
};

TEST_F(ChannelTest, G16_LatestGivesTheNewestAndCountsOnlyWhatNobodyRead) {
  Channel channel({}, false, cells);
  put(channel, 1);
  put(channel, 2);
  EXPECT_EQ(take_all(channel), "2");
  put(channel, 3);
  EXPECT_EQ(take_all(channel), "3");
  EXPECT_EQ(cells.overwrite_count.value(), 1U);
  EXPECT_EQ(cells.publish_count.value(), 3U);
  EXPECT_EQ(cells.delivery_count.value(), 2U);
}

TEST_F(ChannelTest, G17_AFullQueueEvictsDropsOrRefuses) {
  const auto policy = [](EdgeOverflow overflow) {
    return ChannelSpec{.mode = ChannelMode::kQueue, .capacity = 2, .overflow = overflow};
  };
  Channel oldest(policy(EdgeOverflow::kDropOldest), false, cells);
  for (int i = 1; i <= 3; ++i) put(oldest, i);
  EXPECT_EQ(take_all(oldest), "2,3");
  EXPECT_EQ(cells.overwrite_count.value(), 1U);

  Channel newest(policy(EdgeOverflow::kDropNewest), false, cells);
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(put(newest, i).is_accepted, i < 3);
  EXPECT_EQ(take_all(newest), "1,2");
  EXPECT_EQ(cells.drop_count.value(), 1U);
  EXPECT_EQ(newest.last_number(), 2U);

  for (const auto overflow :
       {EdgeOverflow::kReject, EdgeOverflow::kBlock, EdgeOverflow::kFailFast}) {
    Channel channel(policy(overflow), false, cells);
    put(channel, 1);
    EXPECT_FALSE(channel.refuses());
    put(channel, 2);
    EXPECT_TRUE(channel.refuses());
    take(channel);
    EXPECT_FALSE(channel.refuses());
  }
}

TEST_F(ChannelTest, G12_DeferredMessagesAreVisibleAfterShowOnly) {
  Channel channel({.mode = ChannelMode::kQueue, .capacity = 4}, true, cells);
  put(channel, 1);
  put(channel, 2);
  EXPECT_EQ(channel.available(), 0U);
  EXPECT_TRUE(channel.has_unseen());
  EXPECT_EQ(channel.show(1, arrival), 1U);
  EXPECT_EQ(take_all(channel), "1");
  EXPECT_EQ(channel.show(2, arrival), 1U);
  EXPECT_EQ(take_all(channel), "2");
}

TEST_F(ChannelTest, WhatWaitsToLeaveCountsAgainstTheCapacityButEvictsNothingYet) {
  Channel channel(
      {.mode = ChannelMode::kQueue, .capacity = 2, .overflow = EdgeOverflow::kReject}, true, cells);
  put(channel, 1);
  channel.expect();
  EXPECT_TRUE(channel.refuses());
  Channel latest({}, true, cells);
  put(latest, 1);
  latest.show(1, arrival);
  latest.expect();
  EXPECT_EQ(latest.available(), 1U);
  latest.push(message(2), 0);
  EXPECT_EQ(latest.available(), 0U);
}

TEST_F(ChannelTest, MaxInflightBoundsWhatIsNotVisibleYet) {
  Channel channel({.mode = ChannelMode::kQueue, .capacity = 8, .max_inflight = 2}, true, cells);
  put(channel, 1);
  EXPECT_FALSE(channel.refuses());
  put(channel, 2);
  EXPECT_TRUE(channel.refuses());
  channel.show(1, arrival);
  EXPECT_FALSE(channel.refuses());
}

TEST_F(ChannelTest, G19_LifespanDropsAndDeadlineFlags) {
  Channel channel({.mode = ChannelMode::kQueue, .capacity = 4, .lifespan = 10ms, .deadline = 5ms},
                  false,
                  cells);
  put(channel, 1, 0ms);
  put(channel, 2, 5ms);
  put(channel, 3, 8ms);
  EXPECT_EQ(channel.drop_stale(10ms), 0U);
  EXPECT_EQ(channel.drop_stale(11ms), 1U);
  EXPECT_EQ(take(channel, 11ms), "2 late");
  EXPECT_EQ(take(channel, 13ms), "3");
  EXPECT_EQ(cells.stale_drop_count.value(), 1U);
  EXPECT_EQ(cells.deadline_miss_count.value(), 1U);
}

TEST_F(ChannelTest, G20_ALatchedValueStaysAndIsNewOnce) {
  Channel channel({.mode = ChannelMode::kLatched}, false, cells);
  EXPECT_EQ(channel.available(), 0U);
  put(channel, 1);
  EXPECT_TRUE(channel.has_new());
  EXPECT_EQ(take(channel), "1");
  EXPECT_FALSE(channel.has_new());
  EXPECT_EQ(channel.available(), 1U);
  EXPECT_EQ(take(channel), "1");
  put(channel, 2);
  EXPECT_EQ(cells.overwrite_count.value(), 0U);
  put(channel, 3);
  EXPECT_EQ(cells.overwrite_count.value(), 1U);
  EXPECT_EQ(take(channel), "3");
}

TEST_F(ChannelTest, G20_ABarrierGivesNothingBeforeItIsFullAndThenAll) {
  Channel channel({.mode = ChannelMode::kBarrier, .capacity = 3}, false, cells);
  put(channel, 1);
  put(channel, 2);
  EXPECT_EQ(channel.available(), 0U);
  put(channel, 3);
  EXPECT_EQ(channel.available(), 3U);
  EXPECT_EQ(take(channel), "1");
  put(channel, 4);
  EXPECT_EQ(take_all(channel), "2,3,4");
  put(channel, 5);
  EXPECT_EQ(channel.available(), 0U);
}

TEST_F(ChannelTest, G20_PreviousTickHoldsOnePendingBesideOneReadable) {
  Channel channel({.mode = ChannelMode::kPreviousTick}, false, cells);
  put(channel, 1);
  EXPECT_EQ(channel.available(), 0U);
  channel.show(channel.last_number(), arrival);
  EXPECT_EQ(channel.available(), 1U);
  put(channel, 2);
  put(channel, 3);
  EXPECT_EQ(cells.overwrite_count.value(), 1U);
  EXPECT_EQ(take_all(channel), "1");
  channel.show(channel.last_number(), arrival);
  EXPECT_EQ(take_all(channel), "3");
}

TEST_F(ChannelTest, G20_NamedReadersHaveCursorsAndMissWhatWasEvicted) {
  Channel channel(
      {.mode = ChannelMode::kQueue, .capacity = 3, .readers = Readers::kMulti}, false, cells);
  const auto read = [&channel](const char* reader) {
    std::string all;
    for (const Message& message : channel.read(reader)) all += message.value.to_json();
    return all;
  };
  put(channel, 1);
  EXPECT_EQ(take_all(channel), "1");
  EXPECT_EQ(read("quick"), "1");
  for (int i = 2; i <= 4; ++i) put(channel, i);
  EXPECT_EQ(cells.overwrite_count.value(), 0U) << "the trigger had read it";
  EXPECT_EQ(read("quick"), "234");
  EXPECT_EQ(read("slow"), "234");
  EXPECT_EQ(read("slow"), "");
  EXPECT_EQ(take_all(channel), "2,3,4");
}

TEST_F(ChannelTest, G21_DepthNeverExceedsTheCapacity) {
  base::SplitMix64 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto capacity = static_cast<std::int64_t>(1 + random.below(5));
    const bool is_deferred = random.below(2) == 0;
    Channel channel({.mode = random.below(2) == 0 ? ChannelMode::kQueue : ChannelMode::kBarrier,
                     .capacity = capacity,
                     .overflow = static_cast<EdgeOverflow>(random.below(4))},
                    is_deferred,
                    cells);
    for (int i = 0; i < 60; ++i) {
      const auto what = random.below(3);
      if (what == 0 && !channel.refuses()) put(channel, i);
      if (what == 1) channel.show(channel.last_number(), arrival);
      if (what == 2 && channel.available() > 0) take(channel);
      ASSERT_LE(channel.depth(), static_cast<std::size_t>(capacity));
    }
  }
}

TEST_F(ChannelTest, G22_TellsOnceThatAQueueIsFull) {
  Channel channel({.mode = ChannelMode::kQueue, .capacity = 2}, false, cells);
  EXPECT_FALSE(put(channel, 1).is_full_first_time);
  EXPECT_TRUE(put(channel, 2).is_full_first_time);
  take_all(channel);
  put(channel, 3);
  EXPECT_FALSE(put(channel, 4).is_full_first_time);
  EXPECT_EQ(cells.max_depth.value(), 2);
}

TEST_F(ChannelTest, G31_RemembersWhetherTheLastValueDiffers) {
  Channel channel({}, false, cells);
  channel.watch_changes();
  put(channel, 1);
  EXPECT_TRUE(channel.take_change());
  put(channel, 1);
  EXPECT_FALSE(channel.take_change());
  put(channel, 2);
  EXPECT_TRUE(channel.take_change());
}

}  // namespace
}  // namespace millrace::graph
