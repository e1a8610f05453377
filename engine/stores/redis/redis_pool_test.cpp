#include "stores/redis/redis_pool.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loop/loop_fixture.h"
#include "stores/redis/redis_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

struct PoolRig : RedisRig {
  explicit PoolRig(PoolSettings settings = pool_settings()) {
    pool.emplace(
        RedisConnection::Services{
            .loop = loop, .connector = connector, .random = random, .cells = cells},
        std::move(settings));
    other = ":1\r\n";
  }
  std::optional<RedisPool> pool;

  void warm() {
    pool->open();
    loop.run_ready();
  }
  void submit(TestCall& call) {
    const base::Status taken = pool->submit(call);
    if (!taken) call.status = taken;
  }
};

PoolSettings with_connections(std::uint32_t count) {
  PoolSettings settings = RedisRig::pool_settings();
  settings.connections = count;
  return settings;
}

TEST(RedisPoolTest, CallsWaitForTheFirstConnection) {
  PoolRig rig;
  TestCall call({{"GET", "a"}});
  rig.submit(call);
  EXPECT_EQ(rig.pool->queued(), 1U);
  rig.loop.run_ready();
  EXPECT_EQ(call.outcome(), "1 ");
}

TEST(RedisPoolTest, RED1_CallsOfOneTurnShareAConnection) {
  PoolRig rig(with_connections(4));
  rig.warm();
  std::vector<std::unique_ptr<TestCall>> calls;
  for (int i = 0; i < 8; ++i) {
    calls.push_back(std::make_unique<TestCall>(std::vector<Words>{{"GET", "a"}}));
    rig.submit(*calls.back());
  }
  rig.loop.run_ready();
  EXPECT_EQ(rig.write_count, 1U);
  EXPECT_EQ(rig.cells.counters().writes, 1U);
  EXPECT_EQ(rig.cells.counters().commands, 8U);
}

TEST(RedisPoolTest, LaterTurnsTakeTheLeastBusyConnection) {
  PoolRig rig(with_connections(2));
  rig.warm();
  rig.is_mute = true;
  TestCall first({{"GET", "a"}});
  TestCall second({{"GET", "b"}});
  rig.submit(first);
  rig.loop.run_ready();
  rig.submit(second);
  rig.loop.run_ready();
  EXPECT_EQ(rig.pool->connections()[0]->commands_in_flight(), 1U);
  EXPECT_EQ(rig.pool->connections()[1]->commands_in_flight(), 1U);
  rig.pool->withdraw(first);
  rig.pool->withdraw(second);
}

TEST(RedisPoolTest, RED4_InFlightIsBoundedAndALargeCallGoesAlone) {
  PoolSettings settings = RedisRig::pool_settings();
  settings.commands_max = 4;
  PoolRig rig(settings);
  rig.warm();
  TestCall three(std::vector<Words>(3, Words{"GET", "a"}));
  TestCall two(std::vector<Words>(2, Words{"GET", "a"}));
  TestCall nine(std::vector<Words>(9, Words{"GET", "a"}));
  rig.submit(three);
  rig.submit(nine);
  rig.submit(two);
  EXPECT_EQ(rig.pool->commands_in_flight(), 3U);
  EXPECT_EQ(rig.pool->queued(), 2U);
  rig.loop.run_ready();
  EXPECT_TRUE(three.is_ok());
  EXPECT_TRUE(nine.is_ok());
  EXPECT_TRUE(two.is_ok());
  EXPECT_EQ(rig.write_count, 3U);
  EXPECT_EQ(rig.pool->commands_in_flight(), 0U);
}

TEST(RedisPoolTest, RED5_ACallTimesOutExactlyAndItsLateReplyIsDropped) {
  PoolRig rig;
  rig.warm();
  rig.delay = 120ms;
  TestCall late({{"GET", "a"}});
  rig.submit(late);
  rig.loop.advance(60ms);
  rig.delay = 0ms;
  rig.replies["GET b"] = ":2\r\n";
  TestCall second({{"GET", "b"}});
  rig.submit(second);
  rig.loop.advance(40ms - 1ns);
  EXPECT_EQ(late.outcome(), "waits");
  rig.loop.advance(1ns);
  EXPECT_EQ(late.outcome(), "timeout");
  // The connection was silent for as long as a request may take, so it was given up.
  EXPECT_EQ(second.outcome(), "timeout");
  EXPECT_EQ(rig.cells.counters().connections_lost, 1U);
}

TEST(RedisPoolTest, RED5_AConnectionThatShowsLifeIsKept) {
  PoolRig rig;
  rig.warm();
  rig.is_mute = true;
  TestCall slow({{"GET", "a"}});
  rig.submit(slow);
  rig.loop.advance(50ms);
  rig.connector.peer(0).deliver("*2\r\n:1\r\n");
  rig.loop.advance(50ms);
  EXPECT_EQ(slow.outcome(), "timeout");
  EXPECT_EQ(rig.cells.counters().connections_lost, 0U);
  rig.is_mute = false;
  rig.connector.peer(0).deliver(":2\r\n");
  TestCall next({{"GET", "b"}});
  rig.submit(next);
  rig.loop.run_ready();
  EXPECT_EQ(next.outcome(), "1 ");
}

TEST(RedisPoolTest, RED6_WhenNothingCanBeReachedCallsAreRefusedAtOnce) {
  PoolRig rig;
  rig.is_down = true;
  TestCall first({{"GET", "a"}});
  rig.submit(first);
  rig.loop.run_ready();
  EXPECT_EQ(first.outcome(), "unavailable");
  EXPECT_THAT(first.status->error().message(), HasSubstr("The store cannot be reached: h:1"));
  TestCall second({{"GET", "a"}});
  rig.submit(second);
  EXPECT_EQ(second.outcome(), "unavailable");
  EXPECT_EQ(rig.cells.counters().refused, 1U);
  rig.is_down = false;
  rig.loop.advance(1s);
  TestCall third({{"GET", "a"}});
  rig.submit(third);
  rig.loop.run_ready();
  EXPECT_EQ(third.outcome(), "1 ");
}

TEST(RedisPoolTest, RED7_AServerThatKeepsTimingOutIsProbedByOneCall) {
  PoolSettings settings = RedisRig::pool_settings();
  settings.breaker.consecutive_failures_max = 2;
  settings.breaker.open_min = settings.breaker.open_max = 150ms;
  settings.connections = 2;
  PoolRig rig(settings);
  rig.warm();
  rig.is_mute = true;
  TestCall first({{"GET", "a"}});
  rig.submit(first);
  rig.loop.advance(100ms);
  EXPECT_EQ(first.outcome(), "timeout");
  EXPECT_EQ(rig.pool->breaker_state(), net::Breaker::State::kOpen);
  TestCall refused({{"GET", "a"}});
  rig.submit(refused);
  EXPECT_EQ(refused.outcome(), "unavailable");
  rig.is_mute = false;
  rig.loop.advance(1s);
  TestCall probe({{"GET", "a"}});
  rig.submit(probe);
  rig.loop.run_ready();
  EXPECT_EQ(probe.outcome(), "1 ");
  EXPECT_EQ(rig.pool->breaker_state(), net::Breaker::State::kClosed);
}

TEST(RedisPoolTest, RED7_OneConnectionLostWithManyCallsIsOneFailure) {
  PoolSettings settings = with_connections(2);
  settings.breaker.consecutive_failures_max = 2;
  PoolRig rig(settings);
  rig.warm();
  rig.is_mute = true;
  std::vector<std::unique_ptr<TestCall>> calls;
  for (int i = 0; i < 8; ++i) {
    calls.push_back(std::make_unique<TestCall>(std::vector<Words>{{"GET", "a"}}));
    rig.submit(*calls.back());
  }
  rig.loop.run_ready();
  rig.connector.peer(0).reset();
  rig.loop.run_ready();
  EXPECT_EQ(calls[7]->outcome(), "unavailable");
  EXPECT_EQ(rig.pool->breaker_state(), net::Breaker::State::kClosed);
}

TEST(RedisPoolTest, WithdrawnCallsHearNothingInAnyStage) {
  PoolRig rig;
  TestCall queued({{"GET", "a"}});
  rig.submit(queued);
  rig.pool->withdraw(queued);
  EXPECT_EQ(rig.pool->queued(), 0U);
  rig.warm();
  // Both end in one read; the first lets the second go.
  TestCall first({{"GET", "a"}});
  TestCall second({{"GET", "a"}});
  first.when_done = [&] { rig.pool->withdraw(second); };
  rig.submit(first);
  rig.submit(second);
  rig.loop.run_ready();
  EXPECT_EQ(first.outcome(), "1 ");
  EXPECT_EQ(second.outcome(), "waits");
  EXPECT_FALSE(second.is_under_way());
}

TEST(RedisPoolTest, ACallMayFollowAnotherFromInside) {
  PoolRig rig;
  TestCall first({{"GET", "a"}});
  TestCall second({{"GET", "b"}});
  TestCall third({{"GET", "c"}});
  first.when_done = [&] {
    rig.submit(second);
    rig.submit(third);
  };
  rig.submit(first);
  rig.loop.run_ready();
  EXPECT_EQ(second.outcome(), "1 ");
  EXPECT_EQ(third.outcome(), "1 ");
  EXPECT_EQ(rig.write_count, 2U);
}

TEST(RedisPoolTest, RED5_ADueTimerGoesBeforeTheNextOfManyReplies) {
  PoolRig rig;
  rig.warm();
  loop::FunctionTimer deadline([] {});
  std::vector<std::unique_ptr<TestCall>> calls;
  for (int i = 0; i < 3; ++i) {
    calls.push_back(std::make_unique<TestCall>(std::vector<Words>{{"GET", "a"}}));
    rig.submit(*calls.back());
  }
  rig.loop.arm(deadline, rig.clock.now() + 1ms);
  // What follows from the first reply takes until the deadline; all three came in one read.
  calls[0]->when_done = [&] { rig.clock.advance(1ms); };
  while (!calls[0]->status) ASSERT_TRUE(rig.loop.run_one());
  EXPECT_EQ(calls[1]->outcome(), "waits");
  // The deadline may be that of another call, whose reply is there already.
  rig.pool->withdraw(*calls[1]);
  rig.loop.run_ready();
  EXPECT_EQ(calls[1]->outcome(), "waits");
  EXPECT_EQ(calls[2]->outcome(), "1 ");
}

TEST(RedisPoolTest, MayEndWhileARestWaitsToBeTold) {
  PoolRig rig;
  rig.warm();
  loop::FunctionTimer deadline([] {});
  TestCall first({{"GET", "a"}});
  TestCall second({{"GET", "a"}});
  rig.submit(first);
  rig.submit(second);
  rig.loop.arm(deadline, rig.clock.now() + 1ms);
  first.when_done = [&] { rig.clock.advance(1ms); };
  while (!first.status) ASSERT_TRUE(rig.loop.run_one());
  ASSERT_EQ(second.outcome(), "waits");
  rig.pool->withdraw(second);
  rig.pool.reset();
  rig.loop.run_ready();
}

TEST(RedisPoolTest, ACallCanAvoidTheConnectionOfAnother) {
  PoolRig rig(with_connections(2));
  rig.warm();
  rig.is_mute = true;
  TestCall first({{"GET", "a"}});
  TestCall second({{"GET", "a"}});
  second.avoids = &first;
  rig.submit(first);
  rig.submit(second);
  EXPECT_EQ(rig.pool->connections()[0]->commands_in_flight(), 1U);
  EXPECT_EQ(rig.pool->connections()[1]->commands_in_flight(), 1U);
  rig.pool->withdraw(first);
  rig.pool->withdraw(second);
}

TEST(RedisPoolTest, AKilledServerEndsAllCallsAndIsFoundAgain) {
  PoolRig rig(with_connections(2));
  rig.warm();
  rig.is_mute = true;
  TestCall first({{"GET", "a"}});
  TestCall second({{"GET", "a"}});
  rig.submit(first);
  rig.loop.run_ready();
  rig.submit(second);
  rig.loop.run_ready();
  rig.is_down = true;
  rig.connector.peer(0).reset();
  rig.connector.peer(1).reset();
  rig.loop.advance(1s);
  EXPECT_EQ(first.outcome(), "unavailable");
  EXPECT_EQ(second.outcome(), "unavailable");
  rig.is_down = false;
  rig.is_mute = false;
  rig.loop.advance(400ms);
  TestCall third({{"GET", "a"}});
  rig.submit(third);
  rig.loop.run_ready();
  EXPECT_EQ(third.outcome(), "1 ");
}

}  // namespace
}  // namespace millrace::stores::testing
