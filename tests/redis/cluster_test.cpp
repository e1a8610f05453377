// The client on a real cluster: the same replies as from one server, while slots move and when a
// master is killed.
//
// MILLRACE_CLUSTER_SLOTS sets how many slots move under load (default 40), MILLRACE_CLUSTER_BATCHES
// how many batches must succeed after a master was killed (default 20).

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "live_client.h"
#include "redis_cluster.h"
#include "redis_server.h"
#include "stores/redis/cluster/slot_hash.h"
#include "stores/redis/redis_client.h"
#include "stores/redis/redis_settings.h"

namespace millrace::live {
namespace {

using stores::StoreCommand;
using stores::ValueForm;
using ::testing::HasSubstr;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

stores::RedisSettings settings_at(std::uint16_t port, bool cluster) {
  stores::RedisSettings settings;
  settings.cluster = cluster;
  settings.pool.address = {.host = "127.0.0.1", .port = port};
  // For slow machines with a sanitizer.
  settings.pool.connect.connect_timeout = 2s;
  settings.pool.request_timeout = 20s;
  return settings;
}

int setting(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

/// Keys whose values equal the keys: some in the slots that move first, some in any slot.
std::vector<std::string> text_keys() {
  constexpr std::size_t kEach = 60;
  std::vector<std::string> keys;
  for (int i = 0; keys.size() < kEach; ++i) {
    std::string key = base::format("moving:{}", i);
    if (stores::slot_of(key) < 40) keys.push_back(std::move(key));
  }
  for (int i = 0; keys.size() < 2 * kEach; ++i) keys.push_back(base::format("text:{}", i));
  return keys;
}

class ClusterTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    cluster_ = std::make_unique<RedisCluster>();
    for (const std::string& key : text_keys()) data_ += base::format("SET {0} {0}\n", key);
    for (int i = 0; i < 30; ++i) {
      data_ += base::format("RPUSH list:{0} {0} 2 3\nHSET hash:{0} a {0} b x\n", i);
      data_ += base::format("ZADD sorted:{0} {0} 1 7 2 3 3\nSADD set:{0} {0}\n", i);
    }
    data_ += "RPUSH words x y\nSET {t}1 one\nSET {t}2 two\n";
    cluster_->load(data_);
  }
  static void TearDownTestSuite() { cluster_.reset(); }

  static stores::KeyList keys_of(LiveClient& client, const std::vector<std::string>& texts) {
    stores::KeyListBuilder builder(client.scratch(), "", "", texts.size());
    for (const std::string& text : texts) builder.add(text);
    return builder.finish();
  }
  /// Reads all texts with one command; true if all are there, false after an error. A wrong answer
  /// fails the test.
  static bool read_texts(LiveClient& client,
                         StoreCommand command,
                         stores::CallOptions options = {}) {
    static const std::vector<std::string> texts = text_keys();
    const auto reply =
        client.execute({.command = command, .keys = keys_of(client, texts)}, options);
    if (!reply) {
      const base::ErrorCode code = reply.error().code();
      EXPECT_TRUE(code == base::ErrorCode::kUnavailable || code == base::ErrorCode::kTimeout)
          << reply.error().to_string();
      return false;
    }
    for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(reply->texts_of(i)[0], texts[i]);
    return true;
  }

  static inline std::unique_ptr<RedisCluster> cluster_;
  static inline std::string data_;
};

TEST_F(ClusterTest, RED11_GivesTheRepliesOfASingleServer) {
  const RedisServer single;
  single.load(single.folder().write("data", data_));
  LiveClient one(settings_at(single.port(), false));
  const std::vector<std::string> fields{"b", "none"};
  std::vector<std::string> lists;
  std::vector<std::string> hashes;
  std::vector<std::string> texts = text_keys();
  std::vector<std::string> sorted_sets;
  std::vector<std::string> sets;
  for (int i = 0; i < 32; ++i) {
    sorted_sets.push_back(base::format("sorted:{}", i));
    sets.push_back(base::format("set:{}", i));
    lists.push_back(base::format("list:{}", i));
    hashes.push_back(base::format("hash:{}", i));
  }
  texts.emplace_back("missing");
  for (const std::uint32_t protocol : {2U, 3U}) {
    stores::RedisSettings settings = settings_at(cluster_->master(1).port(), true);
    settings.pool.greeting.protocol = protocol;
    LiveClient many(settings);
    const auto expect_same = [&](StoreCommand command,
                                 const std::vector<std::string>& keys,
                                 ValueForm form = ValueForm::kText) {
      const auto shown = [&](LiveClient& client) {
        return client.shown({.command = command,
                             .keys = keys_of(client, keys),
                             .fields = fields,
                             .count = 2,
                             .form = form,
                             .with_scores = command == StoreCommand::kSortedSetRange});
      };
      EXPECT_EQ(shown(many), shown(one));
    };
    expect_same(StoreCommand::kGet, texts);
    expect_same(StoreCommand::kMultiGet, texts);
    expect_same(StoreCommand::kMultiGet, {"text:1", "list:1", "hash:2", "text:2"});
    expect_same(StoreCommand::kHashGetAll, hashes);
    expect_same(StoreCommand::kHashGet, hashes);
    expect_same(StoreCommand::kListRange, lists);
    expect_same(StoreCommand::kListRange, lists, ValueForm::kInt64);
    expect_same(StoreCommand::kSortedSetRange, sorted_sets, ValueForm::kInt64);
    expect_same(StoreCommand::kSetMembers, sets, ValueForm::kInt64);
    expect_same(StoreCommand::kListRange, {"list:1", "words"}, ValueForm::kInt64);
    expect_same(StoreCommand::kGet, {"text:1", "list:1", "hash:2"});
  }
}

TEST_F(ClusterTest, RED12_AskIsFollowedWhileASlotMoves) {
  LiveClient client(settings_at(cluster_->master(0).port(), true));
  const auto read = [&] {
    return client.shown(
        {.command = StoreCommand::kGet, .keys = client.keys({"{t}1", "{t}2", "{t}3"})});
  };
  EXPECT_EQ(read(), "one | two | null");
  RedisServer& source = cluster_->owner("{t}1");
  RedisServer& target = cluster_->master(&source == &cluster_->master(0) ? 1 : 0);
  const std::string slot = std::to_string(stores::slot_of("t"));
  target.cli("cluster setslot " + slot + " importing " + RedisCluster::id_of(source));
  source.cli("cluster setslot " + slot + " migrating " + RedisCluster::id_of(target));
  source.cli(base::format("migrate 127.0.0.1 {} '{{t}}1' 0 5000", target.port()));
  EXPECT_THAT(source.cli("get '{t}1'"), HasSubstr("ASK "));
  EXPECT_EQ(read(), "one | two | null");
  EXPECT_EQ(client.shown({.command = StoreCommand::kMultiGet,
                          .keys = client.keys({"{t}1", "{t}2", "{t}3"})}),
            "one | two | null");
  source.cli(base::format("migrate 127.0.0.1 {} '{{t}}2' 0 5000", target.port()));
  EXPECT_EQ(read(), "one | two | null");
  for (RedisServer* const server : {&target, &source}) {
    server->cli("cluster setslot " + slot + " node " + RedisCluster::id_of(target));
  }
  EXPECT_EQ(read(), "one | two | null");
}

TEST_F(ClusterTest, RED12_NoAnswerIsWrongWhileSlotsMoveUnderLoad) {
  LiveClient client(settings_at(cluster_->master(2).port(), true));
  const std::string line = base::format(
      "redis-cli --cluster reshard 127.0.0.1:{} --cluster-from {} --cluster-to {} "
      "--cluster-slots {} --cluster-yes 2>&1",
      cluster_->master(0).port(),
      RedisCluster::id_of(cluster_->master(0)),
      RedisCluster::id_of(cluster_->master(1)),
      setting("MILLRACE_CLUSTER_SLOTS", 40));
  // Tells the load that all slots have moved.
  std::atomic<bool> moved{false};
  std::string failure;
  std::thread mover([&] {
    try {
      run_line(line);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    moved = true;
  });
  int count = 0;
  while (!moved) {
    EXPECT_TRUE(read_texts(client, count % 2 == 0 ? StoreCommand::kGet : StoreCommand::kMultiGet));
    ++count;
  }
  mover.join();
  EXPECT_EQ(failure, "");
  EXPECT_TRUE(read_texts(client, StoreCommand::kGet));
  const std::string first = text_keys().front();
  EXPECT_EQ(cluster_->master(1).cli("get " + first), first + "\n");
  ::testing::Test::RecordProperty("batches", count);
  ::testing::Test::RecordProperty("map_reads", client.ask([](stores::RedisClient& redis) {
    return static_cast<int>(redis.cluster().map_read_count());
  }));
}

// Must be the last test: it leaves a cluster without one of its masters.
TEST_F(ClusterTest, RED13_AKilledMasterIsReplaced) {
  stores::RedisSettings settings = settings_at(cluster_->master(1).port(), true);
  settings.pool.request_timeout = 2s;
  settings.single_flight = false;
  LiveClient client(settings);
  const auto read = [&] {
    return read_texts(client, StoreCommand::kGet, {.deadline = base::steady_clock().now() + 1s});
  };
  while (!read()) {
  }
  cluster_->pass_on(1);
  // Kill the very node that the settings name.
  cluster_->master(1).kill();
  int failed = 0;
  while (!read()) ++failed;
  int ok = 0;
  for (int i = setting("MILLRACE_CLUSTER_BATCHES", 20); i > 0; --i) ok += read() ? 1 : 0;
  EXPECT_EQ(ok, setting("MILLRACE_CLUSTER_BATCHES", 20));
  EXPECT_GT(failed, 0);
  ::testing::Test::RecordProperty("failed", failed);
}

}  // namespace
}  // namespace millrace::live
