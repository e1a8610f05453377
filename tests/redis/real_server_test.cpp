// The client against a real redis-server: every command, both protocols, every way to connect.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include "live_client.h"
#include "redis_server.h"
#include "stores/redis/redis_settings.h"

namespace millrace::live {
namespace {

using stores::RedisSettings;
using stores::StoreCommand;
using stores::ValueForm;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

RedisSettings settings_for(const RedisServer& server) {
  RedisSettings settings;
  settings.pool.address = {.host = "127.0.0.1", .port = server.port()};
  // Generous, for slow machines with a sanitizer: no test here depends on time.
  settings.pool.connect.connect_timeout = 20s;
  settings.pool.request_timeout = 20s;
  return settings;
}

constexpr std::string_view kData =
    "HSET h a 1 b 2\nRPUSH l 3 4 5\nRPUSH w x y\nSET s v\nSET empty \"\"\n"
    "ZADD z 2.5 7 1 10 1 9 inf 8\nZADD zx 1 5 2 x\nSADD m 4 -2 30\nSADD mx y 1 x\n";

void expect_every_command(LiveClient& client) {
  const std::vector<std::string> fields{"b", "none"};
  EXPECT_EQ(client.shown({.command = StoreCommand::kHashGetAll, .keys = client.keys({"h", "-"})}),
            "a 1 b 2 | ");
  EXPECT_EQ(
      client.shown(
          {.command = StoreCommand::kHashGet, .keys = client.keys({"h", "-"}), .fields = fields}),
      "2 null | null null");
  EXPECT_EQ(client.shown({.command = StoreCommand::kListRange,
                          .keys = client.keys({"l", "-", "l"}),
                          .count = 2,
                          .form = ValueForm::kInt64}),
            "3 4 |  | 3 4");
  EXPECT_EQ(
      client.shown({.command = StoreCommand::kListRange, .keys = client.keys({"w"}), .count = 9}),
      "x y");
  EXPECT_EQ(client.shown({.command = StoreCommand::kGet, .keys = client.keys({"s", "-", "empty"})}),
            "v | null | ");
  EXPECT_EQ(
      client.shown({.command = StoreCommand::kMultiGet, .keys = client.keys({"s", "h", "-"})}),
      "v | null | null");
  EXPECT_EQ(client.shown({.command = StoreCommand::kGet, .keys = client.keys({"h"})}),
            "node_failed: WRONGTYPE: the key holds another type: h (at h)");
  EXPECT_THAT(client.shown({.command = StoreCommand::kListRange,
                            .keys = client.keys({"w"}),
                            .count = 9,
                            .form = ValueForm::kInt64}),
              HasSubstr("An item of a list is no 64-bit integer: key w, position 0, value x"));
}

/// Reads sorted sets and sets, whose replies differ between the protocols.
void expect_sets(LiveClient& client) {
  const auto scored = [&](std::initializer_list<std::string_view> keys, bool reversed) {
    return client.shown({.command = StoreCommand::kSortedSetRange,
                         .keys = client.keys(keys),
                         .count = 3,
                         .form = ValueForm::kInt64,
                         .reversed = reversed,
                         .with_scores = true});
  };
  EXPECT_EQ(scored({"z", "-", "z"}, false), "10=1 9=1 7=2.5 |  | 10=1 9=1 7=2.5");
  EXPECT_EQ(scored({"z"}, true), "8=inf 7=2.5 9=1");
  EXPECT_THAT(
      scored({"zx"}, false),
      HasSubstr("An item of a sorted set is no 64-bit integer: key zx, position 1, value x"));
  EXPECT_THAT(scored({"l"}, false), HasSubstr("WRONGTYPE"));
  EXPECT_EQ(client.shown({.command = StoreCommand::kSortedSetRange,
                          .keys = client.keys({"z", "-"}),
                          .count = 3,
                          .form = ValueForm::kInt64,
                          .reversed = true}),
            "8 7 9 | ");
  const auto members = [&](std::string_view key, std::int64_t count) {
    return stores::CommandBatch{.command = StoreCommand::kSetMembers,
                                .keys = client.keys({key}),
                                .count = count,
                                .form = ValueForm::kInt64};
  };
  auto reply = client.execute(members("m", 3)).value();
  const std::span<std::int64_t> ids(reply.integers.data(), reply.integers.size());
  std::ranges::sort(ids);
  EXPECT_THAT(ids, ::testing::ElementsAre(-2, 4, 30));
  EXPECT_THAT(client.shown(members("mx", 3)),
              HasSubstr("A member of a set is no 64-bit integer: key mx, value x"));
  EXPECT_THAT(client.shown(members("m", 2)), HasSubstr("A set has more members than the 2"));
  EXPECT_THAT(client.shown(members("l", 2)), HasSubstr("WRONGTYPE"));
}

TEST(RealServerTest, RED1_EveryCommandInBothProtocols) {
  const RedisServer server;
  server.load(server.folder().write("data", kData));
  for (const std::uint32_t protocol : {2U, 3U}) {
    RedisSettings settings = settings_for(server);
    settings.pool.greeting.protocol = protocol;
    LiveClient client(settings);
    expect_every_command(client);
    expect_sets(client);
    EXPECT_EQ(client.ask([](stores::RedisClient& redis) {
      return redis.pool().connections()[0]->protocol();
    }),
              protocol);
  }
}

TEST(RealServerTest, RED1_UnixSocket) {
  const RedisServer server;
  server.load(server.folder().write("data", kData));
  RedisSettings settings = settings_for(server);
  settings.pool.address = {.unix_path = server.socket_path()};
  LiveClient client(settings);
  expect_every_command(client);
}

TEST(RealServerTest, RED1_Tls) {
  const RedisServer server({.tls = true});
  server.load(server.folder().write("data", kData));
  RedisSettings settings = settings_for(server);
  settings.pool.address = {.host = "localhost", .port = server.tls_port()};
  settings.pool.connect.tls = net::TlsOptions{.ca_file = server.file("ca.pem")};
  {
    LiveClient client(settings);
    expect_every_command(client);
  }
  settings.pool.connect.tls->server_name = "other.example";
  LiveClient refused(settings);
  EXPECT_THAT(refused.shown({.command = StoreCommand::kGet, .keys = refused.keys({"s"})}),
              StartsWith("unavailable"));
}

TEST(RealServerTest, RED1_UsersPasswordsAndDatabases) {
  const RedisServer server;
  server.cli("-n 3 SET k three");
  server.cli("ACL SETUSER reader on '>secret' '~*' +@read +@connection -mget");
  server.cli("ACL SETUSER default '>other'");
  for (const std::uint32_t protocol : {2U, 3U}) {
    RedisSettings settings = settings_for(server);
    settings.pool.greeting = {
        .username = "reader", .password = "secret", .database = 3, .protocol = protocol};
    {
      LiveClient client(settings);
      EXPECT_EQ(client.shown({.command = StoreCommand::kGet, .keys = client.keys({"k"})}), "three");
      EXPECT_THAT(client.shown({.command = StoreCommand::kMultiGet, .keys = client.keys({"k"})}),
                  StartsWith("unavailable: The store's user may not do this"));
    }
    settings.pool.greeting.password = "wrong";
    LiveClient refused(settings);
    EXPECT_THAT(refused.shown({.command = StoreCommand::kGet, .keys = refused.keys({"k"})}),
                HasSubstr("WRONGPASS"));
    settings.pool.greeting = {.protocol = protocol};
    LiveClient nobody(settings);
    EXPECT_THAT(nobody.shown({.command = StoreCommand::kGet, .keys = nobody.keys({"k"})}),
                HasSubstr("NOAUTH"));
  }
}

TEST(RealServerTest, AFullServerStillServesReads) {
  const RedisServer server;
  server.cli("SET k v");
  LiveClient client(settings_for(server));
  EXPECT_EQ(client.shown({.command = StoreCommand::kGet, .keys = client.keys({"k"})}), "v");
  server.cli("CONFIG SET maxmemory 1");
  EXPECT_EQ(client.shown({.command = StoreCommand::kGet, .keys = client.keys({"k"})}), "v");
}

TEST(RealServerTest, RED8_TheServerInvalidatesWhatIsCached) {
  const RedisServer server;
  server.cli("SET k old");
  RedisSettings settings = settings_for(server);
  settings.cache_ttl = 1h;
  LiveClient client(settings);
  const auto get = [&] {
    return client.shown({.command = StoreCommand::kGet, .keys = client.keys({"k"})});
  };
  EXPECT_EQ(get(), "old");
  EXPECT_EQ(get(), "old");
  EXPECT_EQ(client.ask([](stores::RedisClient& redis) { return redis.sharing().keys_cached; }), 1U);
  server.cli("SET k new");
  // The push is on its way; it arrives before the reply to any later command on the same
  // connection.
  static_cast<void>(client.shown({.command = StoreCommand::kGet, .keys = client.keys({"other"})}));
  EXPECT_EQ(get(), "new");
}

/// The reply of hiredis as `shown` gives it.
std::string reference(redisContext* context, std::vector<std::string> words) {
  std::vector<const char*> arguments;
  std::vector<std::size_t> sizes;
  for (const std::string& word : words) {
    arguments.push_back(word.data());
    sizes.push_back(word.size());
  }
  auto* const reply = static_cast<redisReply*>(
      redisCommandArgv(context, static_cast<int>(words.size()), arguments.data(), sizes.data()));
  if (reply == nullptr) return "hiredis failed";
  const auto text = [](const redisReply* part) {
    return part->type == REDIS_REPLY_NIL ? "null" : std::string(part->str, part->len);
  };
  std::string out;
  if (reply->type == REDIS_REPLY_ARRAY) {
    for (std::size_t i = 0; i < reply->elements; ++i) {
      out += (i == 0 ? "" : " ") + text(reply->element[i]);
    }
  } else {
    out = text(reply);
  }
  freeReplyObject(reply);
  return out;
}

TEST(RealServerTest, RED1_TheSameRepliesAsHiredis) {
  const RedisServer server;
  server.load(MILLRACE_SOURCE_DIR "/data/demo.redis");
  redisContext* const context = redisConnectUnix(server.socket_path().c_str());
  ASSERT_EQ(context->err, 0);
  LiveClient client(settings_for(server));
  for (int id = 0; id < 40; ++id) {
    const std::string number = std::to_string(id);
    for (const std::string& name : {"user:" + number, "item:" + number}) {
      EXPECT_EQ(client.shown({.command = StoreCommand::kHashGetAll, .keys = client.keys({name})}),
                reference(context, {"HGETALL", name}));
    }
    for (const std::string& name :
         {"follow:" + number, "recommendation:" + number, "media:" + number}) {
      const std::string expected = reference(context, {"LRANGE", name, "0", "6"});
      for (const ValueForm form : {ValueForm::kText, ValueForm::kInt64}) {
        EXPECT_EQ(client.shown({.command = StoreCommand::kListRange,
                                .keys = client.keys({name}),
                                .count = 7,
                                .form = form}),
                  expected);
      }
    }
  }
  redisFree(context);
}

}  // namespace
}  // namespace millrace::live
