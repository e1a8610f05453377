#include "stores/redis/redis_client.h"

#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loop/stop.h"
#include "stores/redis/client_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(RedisClientTest, RED3_SharedReadsOfSortedSetsKeepTheirScores) {
  ClientRig rig;
  const auto scored = [&](std::initializer_list<std::string_view> keys) {
    return rig.run({.command = StoreCommand::kSortedSetRange,
                    .keys = make_keys(keys, rig.scratch),
                    .count = 2,
                    .form = ValueForm::kInt64,
                    .reversed = true,
                    .with_scores = true});
  };
  rig.replies["ZRANGE a"] = list({"1", "0.5", "2", "0.25"});
  rig.replies["ZRANGE b"] = list({"3", "7"});
  const auto first = scored({"a", "b"});
  const auto second = scored({"b", "-", "a", "b"});
  rig.loop.run_ready();
  EXPECT_EQ(ClientRig::shown(first), "[1 2][3]");
  EXPECT_EQ(ClientRig::shown(second), "[3][][1 2][3]");
  EXPECT_THAT(second->value()->scores.span(), ::testing::ElementsAre(7, 0.5, 0.25, 7));
}

TEST(RedisClientTest, RED2_ABatchIsOneWriteWhateverItsKeys) {
  ClientRig rig;
  KeyListBuilder keys(rig.scratch, "follow:", "", 1000);
  for (std::int64_t i = 0; i < 1000; ++i) keys.add(i);
  rig.replies["LRANGE follow:7"] = list({"70", "71"});
  const auto batch = rig.run({.command = StoreCommand::kListRange,
                              .keys = keys.finish(),
                              .count = 100,
                              .form = ValueForm::kInt64});
  rig.loop.run_ready();
  ASSERT_TRUE(batch->is_done());
  ASSERT_TRUE(batch->value());
  EXPECT_EQ(rig.write_count, 1U);
  EXPECT_EQ(rig.commands.size(), 1000U);
  EXPECT_EQ(batch->value()->integers.size(), 2U);
  EXPECT_EQ(batch->value()->command_count, 1000U);
  EXPECT_EQ(rig.client->counters().round_trips, 1U);
}

TEST(RedisClientTest, RED3_EqualKeysOfABatchAreAskedOnce) {
  ClientRig rig;
  rig.replies["LRANGE a"] = list({"1", "2"});
  rig.replies["LRANGE b"] = list({"3"});
  const auto batch = rig.ids({"a", "b", "a", "a", "c", "b"});
  rig.loop.run_ready();
  EXPECT_EQ(ClientRig::shown(batch), "[1 2][3][1 2][1 2][][3]");
  EXPECT_EQ(rig.commands.size(), 3U);
  EXPECT_EQ(rig.client->sharing().keys_shared, 3U);
}

TEST(RedisClientTest, RED3_MgetAsksForEachKeyOnceToo) {
  ClientRig rig;
  rig.replies["MGET a"] = "*2\r\n$1\r\nx\r\n$-1\r\n";
  const auto batch = rig.run(
      {.command = StoreCommand::kMultiGet, .keys = make_keys({"a", "b", "a"}, rig.scratch)});
  rig.loop.run_ready();
  EXPECT_EQ(ClientRig::shown(batch), "[x][null][x]");
}

TEST(RedisClientTest, RED3_ReadsInFlightAreShared) {
  ClientRig rig;
  rig.delay = 10ms;
  rig.replies["GET a"] = bulk("A");
  rig.replies["GET b"] = bulk("B");
  rig.replies["GET c"] = bulk("C");
  const auto first = rig.get({"a", "b"});
  rig.loop.advance(5ms);
  const auto second = rig.get({"c", "b", "a"});
  const auto third = rig.get({"a"});
  rig.loop.advance(100ms);
  EXPECT_EQ(ClientRig::shown(first), "[A][B]");
  EXPECT_EQ(ClientRig::shown(second), "[C][B][A]");
  EXPECT_EQ(ClientRig::shown(third), "[A]");
  EXPECT_EQ(rig.commands.size(), 3U);
  const auto later = rig.get({"a"});
  rig.loop.advance(100ms);
  EXPECT_EQ(ClientRig::shown(later), "[A]");
  EXPECT_EQ(rig.commands.size(), 4U);
}

TEST(RedisClientTest, RED3_SharingCanBeSwitchedOff) {
  RedisSettings settings = ClientRig::client_settings();
  settings.single_flight = false;
  ClientRig rig(settings);
  rig.delay = 10ms;
  rig.replies["GET a"] = bulk("A");
  const auto first = rig.get({"a", "a"});
  const auto second = rig.get({"a"});
  rig.loop.advance(100ms);
  EXPECT_EQ(ClientRig::shown(first), "[A][A]");
  EXPECT_EQ(ClientRig::shown(second), "[A]");
  EXPECT_EQ(rig.commands.size(), 2U);
}

TEST(RedisClientTest, RED3_AnErrorOfAnotherKeyIsNotShared) {
  ClientRig rig;
  rig.delay = 10ms;
  rig.replies["GET bad"] = "-WRONGTYPE no\r\n";
  rig.replies["GET a"] = bulk("A");
  const auto first = rig.get({"bad", "a"});
  const auto second = rig.get({"a"});
  const auto third = rig.get({"bad"});
  rig.loop.advance(100ms);
  EXPECT_THAT(ClientRig::shown(first), HasSubstr("WRONGTYPE: the key holds another type: bad"));
  EXPECT_EQ(ClientRig::shown(second), "[A]");
  EXPECT_THAT(ClientRig::shown(third), HasSubstr("WRONGTYPE"));
}

TEST(RedisClientTest, RED3_TheOneWhoAskedMayLeaveTheOthersWaiting) {
  ClientRig rig;
  rig.delay = 10ms;
  rig.replies["GET a"] = bulk("A");
  auto first = rig.get({"a"}, {.deadline = rig.clock.now() + 3ms});
  const auto second = rig.get({"a"});
  rig.loop.advance(3ms);
  EXPECT_THAT(ClientRig::shown(first), StartsWith("timeout"));
  rig.loop.advance(17ms);
  EXPECT_EQ(ClientRig::shown(second), "[A]");
  EXPECT_EQ(rig.commands.size(), 1U);
}

TEST(RedisClientTest, RED5_DeadlinesAreExactAndKeepTheConnectionInStep) {
  ClientRig rig;
  rig.replies["GET a"] = bulk("A");
  rig.replies["GET b"] = bulk("B");
  const auto warm = rig.get({"a"});
  rig.loop.run_ready();
  rig.delay = 10ms;
  const auto late = rig.get({"a"}, {.deadline = rig.clock.now() + 4ms});
  rig.loop.advance(4ms - 1ns);
  EXPECT_EQ(ClientRig::shown(late), "waits");
  rig.loop.advance(1ns);
  EXPECT_THAT(ClientRig::shown(late), StartsWith("timeout"));
  const auto next = rig.get({"b"});
  rig.loop.advance(20ms);
  EXPECT_EQ(ClientRig::shown(next), "[B]");
  EXPECT_EQ(rig.connector.peer_count(), 1U);
}

TEST(RedisClientTest, RED5_AStopEndsTheWait) {
  ClientRig rig;
  rig.is_mute = true;
  loop::StopSource stop;
  const auto batch = rig.get({"a"}, {.stop = stop.token()});
  rig.loop.run_ready();
  stop.request_stop();
  rig.loop.run_ready();
  EXPECT_THAT(ClientRig::shown(batch), StartsWith("cancelled"));
  const auto after = rig.get({"a"}, {.stop = stop.token()});
  rig.loop.run_ready();
  EXPECT_THAT(ClientRig::shown(after), StartsWith("cancelled"));
}

TEST(RedisClientTest, RED5_AnAbandonedBatchLeavesNothingBehind) {
  ClientRig rig;
  rig.delay = 5ms;
  rig.replies["GET a"] = bulk("A");
  auto batch = rig.get({"a"});
  rig.loop.advance(2ms);
  batch.reset();
  const auto next = rig.get({"a"});
  rig.loop.advance(20ms);
  EXPECT_EQ(ClientRig::shown(next), "[A]");
}

TEST(RedisClientTest, RED9_ASecondConnectionIsAskedWhenTheFirstIsSlow) {
  RedisSettings settings = ClientRig::client_settings();
  settings.hedge_after = 5ms;
  settings.pool.connections = 2;
  ClientRig rig(settings);
  rig.replies["GET a"] = bulk("A");
  rig.client->pool().open();
  rig.loop.run_ready();
  rig.is_mute = true;
  const auto batch = rig.get({"a"});
  rig.loop.advance(4ms);
  EXPECT_EQ(rig.commands.size(), 1U);
  rig.is_mute = false;
  rig.loop.advance(1ms);
  EXPECT_EQ(ClientRig::shown(batch), "[A]");
  EXPECT_EQ(rig.commands.size(), 2U);
  EXPECT_EQ(rig.connector.peer(0).write_count(), 2U);
  EXPECT_EQ(rig.connector.peer(1).write_count(), 2U);
}

TEST(RedisClientTest, RED8_CachedRepliesAreNotAskedForAndInvalidationsEndThem) {
  RedisSettings settings = ClientRig::client_settings();
  settings.cache_ttl = 1s;
  ClientRig rig(settings);
  rig.replies["GET a"] = bulk("A");
  rig.replies["GET b"] = bulk("B");
  const auto first = rig.get({"a", "b"});
  rig.loop.run_ready();
  rig.replies["GET a"] = bulk("new");
  const auto second = rig.get({"b", "a"});
  rig.loop.run_ready();
  EXPECT_EQ(ClientRig::shown(second), "[B][A]");
  EXPECT_EQ(second->value()->round_trip_count, 0U);
  EXPECT_EQ(rig.commands.size(), 2U);
  rig.connector.peer(0).deliver(">2\r\n+invalidate\r\n" + list({"a"}));
  rig.loop.run_ready();
  const auto third = rig.get({"a", "b"});
  rig.loop.run_ready();
  EXPECT_EQ(ClientRig::shown(third), "[new][B]");
  EXPECT_EQ(rig.commands.size(), 3U);
  rig.loop.advance(2s);
  const auto old = rig.get({"b"});
  rig.loop.run_ready();
  EXPECT_EQ(rig.commands.size(), 4U);
}

TEST(RedisClientTest, RED8_WhatChangesWhileItIsReadIsNotKept) {
  RedisSettings settings = ClientRig::client_settings();
  settings.cache_ttl = 1s;
  ClientRig rig(settings);
  // The server tells that `a` has changed after its reply and before that of `b`.
  rig.replies["GET a"] = bulk("A") + ">2\r\n+invalidate\r\n" + list({"a"});
  rig.replies["GET b"] = bulk("B");
  const auto first = rig.get({"a", "b"});
  rig.loop.run_ready();
  EXPECT_EQ(ClientRig::shown(first), "[A][B]");
  EXPECT_EQ(rig.client->cache().size(), 0U);
}

TEST(RedisClientTest, RED8_ALostConnectionEmptiesTheCache) {
  RedisSettings settings = ClientRig::client_settings();
  settings.cache_ttl = 10s;
  ClientRig rig(settings);
  rig.replies["GET a"] = bulk("A");
  const auto first = rig.get({"a"});
  rig.loop.run_ready();
  EXPECT_EQ(rig.client->cache().size(), 1U);
  rig.connector.peer(0).reset();
  rig.loop.run_ready();
  EXPECT_EQ(rig.client->cache().size(), 0U);
}

TEST(RedisClientTest, TextsOutliveTheNextReads) {
  ClientRig rig;
  rig.split = 7;
  rig.replies["GET a"] = bulk(std::string(5000, 'a'));
  rig.replies["GET b"] = bulk(std::string(90'000, 'b'));
  const auto first = rig.get({"a", "b", "c"});
  rig.loop.run_ready();
  std::vector<std::unique_ptr<StartedBatch>> more;
  for (int i = 0; i < 5; ++i) {
    more.push_back(rig.get({"b", "a"}));
    rig.loop.run_ready();
  }
  ASSERT_FALSE(first->value());  // the third reply is a list
  EXPECT_EQ(more[0]->value()->texts_of(0)[0], std::string(90'000, 'b'));
  EXPECT_EQ(more[0]->value()->texts_of(1)[0], std::string(5000, 'a'));
}

}  // namespace
}  // namespace millrace::stores::testing
