#include "stores/redis/redis_connection.h"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/redis/redis_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// Writes down what a connection says.
class ConnectionLog final : public ConnectionOwner {
 public:
  void on_up(RedisConnection&) override { events.emplace_back("up"); }
  void on_down(RedisConnection&, const base::Error& reason, bool was_up) override {
    events.push_back((was_up ? "lost: " : "failed: ") + reason.message());
  }
  void on_finished(RedisCall& call, base::Status status) override {
    call.on_done(std::move(status));
  }
  void on_replies(std::uint32_t count) override { replies += count; }
  void on_push(RedisConnection&, RespValue push) override { events.push_back(push.to_string()); }
  void on_read_end() override {}

  std::vector<std::string> events;
  std::uint32_t replies = 0;
};

struct ConnectionRig : RedisRig {
  PoolSettings settings = pool_settings();
  ConnectionLog log;
  RedisConnection connection{
      {.loop = loop, .connector = connector, .random = random, .cells = cells}, settings, log};

  void open() {
    connection.open();
    loop.run_ready();
  }
  void send(TestCall& call) { connection.send(call, clock.now()); }
};

TEST(RedisConnectionTest, RED1_CallsOfOneTurnLeaveInOneWrite) {
  ConnectionRig rig;
  rig.replies["GET a"] = ":1\r\n";
  rig.replies["GET b"] = ":2\r\n";
  rig.open();
  TestCall first({{"GET", "a"}, {"GET", "b"}});
  TestCall second({{"GET", "b"}});
  rig.send(first);
  rig.send(second);
  EXPECT_EQ(rig.connection.commands_in_flight(), 3U);
  rig.loop.run_ready();
  EXPECT_EQ(rig.write_count, 1U);
  EXPECT_EQ(rig.cells.writes.value(), 1U);
  EXPECT_EQ(first.outcome(), "1 2 ");
  EXPECT_EQ(second.outcome(), "2 ");
  EXPECT_EQ(rig.connection.commands_in_flight(), 0U);
}

TEST(RedisConnectionTest, RED5_AWithdrawnCallDropsItsRepliesInTheirPlace) {
  ConnectionRig rig;
  rig.replies["GET a"] = "*2\r\n:1\r\n:2\r\n";
  rig.replies["GET b"] = ":3\r\n";
  rig.split = 3;
  rig.open();
  TestCall first({{"GET", "a"}, {"GET", "a"}});
  TestCall second({{"GET", "b"}});
  rig.send(first);
  rig.send(second);
  // Let it go in the middle of its first reply.
  while (first.tree.values.empty() && rig.connection.commands_in_flight() == 3 &&
         rig.commands.size() < 3) {
    ASSERT_TRUE(rig.loop.run_one());
  }
  ASSERT_TRUE(rig.loop.run_one());
  rig.connection.withdraw(first);
  rig.loop.run_ready();
  EXPECT_EQ(first.outcome(), "waits");
  EXPECT_EQ(second.outcome(), "3 ");
  EXPECT_EQ(rig.log.replies, 3U);
}

TEST(RedisConnectionTest, RED5_EverySplitOfTheRepliesGivesTheSame) {
  for (std::size_t size = 1; size < 40; ++size) {
    ConnectionRig rig;
    rig.replies["GET a"] = "*3\r\n$3\r\nabc\r\n$-1\r\n%1\r\n+k\r\n,1.5\r\n";
    rig.replies["GET b"] = "-ERR no\r\n";
    rig.split = size;
    rig.open();
    TestCall call({{"GET", "a"}, {"GET", "b"}, {"GET", "a"}});
    rig.send(call);
    rig.loop.run_ready();
    EXPECT_EQ(call.outcome(),
              R"(["abc", null, map["k", 1.5]] error "ERR no" ["abc", null, map["k", 1.5]] )")
        << size;
  }
}

TEST(RedisConnectionTest, ARefusedConnectionIsTriedAgainWithGrowingWaits) {
  ConnectionRig rig;
  rig.is_down = true;
  rig.open();
  EXPECT_THAT(rig.log.events, ElementsAre(HasSubstr("failed: ")));
  EXPECT_FALSE(rig.connection.is_hopeful());
  rig.loop.advance(10ms);
  EXPECT_EQ(rig.log.events.size(), 2U);
  rig.loop.advance(9ms);
  EXPECT_EQ(rig.log.events.size(), 2U);
  rig.is_down = false;
  rig.loop.advance(11ms);
  EXPECT_TRUE(rig.connection.is_up());
}

TEST(RedisConnectionTest, AGreetingThatIsNotAnsweredEndsInTime) {
  ConnectionRig rig;
  rig.is_mute = true;
  rig.open();
  rig.loop.advance(49ms);
  EXPECT_THAT(rig.log.events, IsEmpty());
  rig.loop.advance(1ms);
  EXPECT_THAT(rig.log.events,
              ElementsAre("failed: The store did not answer the greeting in time: h:1"));
}

TEST(RedisConnectionTest, APeerThatIsNoRedisIsNamed) {
  ConnectionRig rig;
  rig.hello = "HTTP/1.1 400 Bad Request\r\n";
  rig.open();
  EXPECT_THAT(rig.log.events, ElementsAre(HasSubstr("does not speak the Redis protocol")));
}

TEST(RedisConnectionTest, ALostConnectionEndsItsCallsAndComesBack) {
  ConnectionRig rig;
  rig.open();
  rig.is_mute = true;
  TestCall call({{"GET", "a"}});
  rig.send(call);
  rig.loop.run_ready();
  rig.connector.peer(0).half_close();
  rig.loop.run_ready();
  EXPECT_EQ(call.outcome(), "unavailable");
  EXPECT_TRUE(rig.connection.is_hopeful());
  rig.is_mute = false;
  rig.loop.advance(10ms);
  EXPECT_TRUE(rig.connection.is_up());
  EXPECT_EQ(rig.connector.peer_count(), 2U);
}

TEST(RedisConnectionTest, RepliesToNothingAndNonsenseEndTheConnection) {
  for (const std::string& bytes : {"+surprise\r\n", "what\r\n", "$99999999999\r\n"}) {
    ConnectionRig rig;
    rig.open();
    rig.connector.peer(0).deliver(bytes);
    rig.loop.run_ready();
    ASSERT_EQ(rig.log.events.size(), 2U) << bytes;
    EXPECT_THAT(rig.log.events[1], HasSubstr("lost: The store "));
  }
}

TEST(RedisConnectionTest, PushesComeBetweenReplies) {
  ConnectionRig rig;
  rig.replies["GET a"] = ">2\r\n+invalidate\r\n_\r\n:1\r\n";
  rig.open();
  TestCall call({{"GET", "a"}, {"GET", "a"}});
  rig.send(call);
  rig.loop.run_ready();
  EXPECT_EQ(call.outcome(), "1 1 ");
  EXPECT_EQ(rig.log.events.size(), 3U);
}

TEST(RedisConnectionTest, StallsCountFromTheLastSignOfLife) {
  ConnectionRig rig;
  rig.open();
  EXPECT_FALSE(rig.connection.stalls_at(10ms));
  rig.loop.advance(5ms);
  rig.is_mute = true;
  TestCall call({{"GET", "a"}, {"GET", "a"}});
  rig.send(call);
  EXPECT_EQ(rig.connection.stalls_at(10ms), rig.clock.now() + 10ms);
  rig.loop.advance(3ms);
  rig.connector.peer(0).deliver(":1\r\n");
  rig.loop.run_ready();
  EXPECT_EQ(rig.connection.stalls_at(10ms), rig.clock.now() + 10ms);
  rig.connection.withdraw(call);
}

TEST(RedisConnectionTest, GoesWhileCommandsWaitForTheTurnToEnd) {
  RedisRig rig;
  const PoolSettings settings = RedisRig::pool_settings();
  ConnectionLog log;
  TestCall call({{"GET", "a"}});
  {
    RedisConnection connection(
        {.loop = rig.loop, .connector = rig.connector, .random = rig.random, .cells = rig.cells},
        settings,
        log);
    connection.open();
    rig.loop.run_ready();
    connection.send(call, rig.clock.now());
  }
  rig.loop.run_ready();
  EXPECT_EQ(rig.write_count, 0U);
}

}  // namespace
}  // namespace millrace::stores::testing
