#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "bridge/bridge_fixture.h"
#include "bridge/bridge_registry.h"
#include "bridge/redis_link.h"
#include "graph/run/run_options.h"
#include "redis_server.h"

// Graphs on real Redis streams, in virtual time.

namespace millrace::live {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string doubling_graph(const RedisServer& server) {
  const std::string address = "address: 'unix:" + server.socket_path() + "'";
  return bridge::graph_text(
      {"id: in, type: redis.stream_in, event_sources: [{type: timer, period: 10ms}], config: {" +
           address + ", stream: numbers, from: begin, json: true}",
       "id: twice, type: core.map, config: {expr: n * 2, into: n}, trigger_policy: {type: "
       "any_input}",
       "id: out, type: redis.stream_out, config: {" + address +
           ", stream: doubled}, trigger_policy: {type: any_input}"},
      {"id: a, kind: immediate, from: in.out, to: twice.in",
       "id: b, kind: immediate, from: twice.out, to: out.in"});
}

TEST(GraphStreams, EntriesGoThroughAGraphFromStreamToStream) {
  const RedisServer server;
  for (const char* n : {"1", "2", "30"}) server.cli(std::string("XADD numbers '*' n ") + n);
  const auto result =
      bridge::run_graph(doubling_graph(server), bridge::bridge_registry(), {.duration = 15ms});
  EXPECT_TRUE(result.ok);
  const std::string doubled = server.cli("XRANGE doubled - +");
  for (const char* n : {"\nn\n2\n", "\nn\n4\n", "\nn\n60"}) EXPECT_THAT(doubled, HasSubstr(n));
  // A second run that is given the snapshot of the first reads nothing again.
  graph::RuntimeRunnerOptions options{.duration = 15ms};
  options.snapshots = result.snapshots;
  EXPECT_TRUE(bridge::run_graph(doubling_graph(server), bridge::bridge_registry(), options).ok);
  EXPECT_THAT(server.cli("XLEN doubled"), HasSubstr("3"));
}

TEST(GraphStreams, AWrongTypeIsAnErrorThatSaysSo) {
  const RedisServer server;
  server.cli("SET numbers 1");
  const auto result =
      bridge::run_graph(doubling_graph(server), bridge::bridge_registry(), {.duration = 15ms});
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().component, "in");
  EXPECT_THAT(result.errors.front().message, HasSubstr("WRONGTYPE"));
}

TEST(GraphStreams, ALinkComesBackAfterItsServer) {
  RedisServer server;
  const auto link =
      bridge::make_redis_link({.address = {.host = "127.0.0.1", .port = server.port()}});
  const std::vector<std::string> ping{"PING"};
  EXPECT_EQ(link->call(ping, 5s)->text, "PONG");
  server.kill();
  const auto lost = link->call(ping, 5s);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), base::ErrorCode::kUnavailable);
  server.start();
  EXPECT_EQ(link->call(ping, 5s)->text, "PONG");
  server.pause();
  const auto late = link->call(ping, 50ms);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), base::ErrorCode::kTimeout);
  server.resume();
  EXPECT_EQ(link->call(ping, 5s)->text, "PONG") << "not the late answer: a new connection";
}

TEST(GraphStreams, PasswordAndDatabaseAreSentFirst) {
  RedisServer server({.arguments = {"--requirepass", "open"}});
  const std::vector<std::string> set{"SET", "k", "v"};
  const auto refused = bridge::make_redis_link({.address = {.unix_path = server.socket_path()}});
  EXPECT_THAT(refused->call(set, 5s)->text, HasSubstr("NOAUTH"));
  const auto wrong =
      bridge::make_redis_link({.address = {.unix_path = server.socket_path()}, .password = "shut"});
  EXPECT_THAT(wrong->call(set, 5s).error().message(), HasSubstr("WRONGPASS"));
  const auto good = bridge::make_redis_link(
      {.address = {.unix_path = server.socket_path()}, .database = 3, .password = "open"});
  EXPECT_EQ(good->call(set, 5s)->text, "OK");
  const std::vector<std::string> info{"INFO", "keyspace"};
  EXPECT_THAT(good->call(info, 5s)->text, HasSubstr("db3:keys=1"));
}

}  // namespace
}  // namespace millrace::live
