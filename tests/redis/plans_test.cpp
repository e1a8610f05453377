// Compares plans on Redis with plans on embedded data; the command lines of the contract on Redis.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "answer_text.h"
#include "base/format.h"
#include "batch_server.h"
#include "redis_project.h"
#include "redis_server.h"
#include "stores/embedded_store.h"

namespace millrace::live {
namespace {

using ::testing::HasSubstr;

TEST(PlansOnRedisTest, RED10_EveryPlanAnswersTheSameBytesAsOnEmbeddedData) {
  const RedisServer server;
  server.load(MILLRACE_SOURCE_DIR "/data/demo.redis");
  const TempFolder folder;
  const RunningEngine embedded(write_registry(folder, unix_address(server)), "dev");
  std::size_t compared = 0;
  for (const std::string& address : {unix_address(server), tcp_address(server)}) {
    for (const std::string& policy :
         {patient(),
          patient("protocol = 2, single_flight = false"),
          patient("cache_ttl = '1s', hedge_after = '50ms', connections = 2")}) {
      const RunningEngine redis(write_registry(folder, address, policy), "test");
      const auto names = embedded.engine->plans().names();
      ASSERT_GE(names.size(), 9U);
      for (const std::string_view name : names) {
        for (int user = 0; user <= 101; user += address.starts_with("unix") ? 10 : 33) {
          const std::string request =
              base::format(R"({{"user_id": {}, "plan": "{}"}})", user, name);
          EXPECT_EQ(answer(*redis.engine, request), answer(*embedded.engine, request)) << request;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 300U);
}

TEST(PlansOnRedisTest, RED2_RoundTripsAreTheDepthOfThePlan) {
  const auto store = stores::EmbeddedStore::load(MILLRACE_SOURCE_DIR "/data/demo.redis");
  ASSERT_TRUE(store);
  const TempFolder folder;
  const std::string socket = folder.path() + "/fake.sock";
  const BatchServer server(socket, *store);
  const RunningEngine redis(
      write_registry(folder, "unix_path = '" + socket + "'", patient("connections = 1")), "test");
  const auto round_trips = [&](const std::string& plan, int user) {
    const std::string request = base::format(R"({{"user_id": {}, "plan": "{}"}})", user, plan);
    const int before = server.batch_count();
    EXPECT_THAT(answer(*redis.engine, request), HasSubstr(R"("degraded":{"is":false)"));
    return server.batch_count() - before;
  };
  for (int user = 1; user < 20; ++user) {
    EXPECT_EQ(round_trips("simple_viewer", user), 1);
    EXPECT_EQ(round_trips("mixed_pipeline", user), 2);
    EXPECT_EQ(round_trips("complex_dag", user), 3);
  }
  EXPECT_GT(server.command_count(), 19 * 10);
}

TEST(PlansOnRedisTest, RED6_WhatRedisRefusesIsAnErrorOfTheNode) {
  const RedisServer server;
  server.load(MILLRACE_SOURCE_DIR "/data/demo.redis");
  server.cli("SET follow:2 text");
  const TempFolder folder;
  const RunningEngine redis(write_registry(folder, unix_address(server)), "test");
  const std::string response = answer(*redis.engine, R"({"user_id": 2, "plan": "mixed_pipeline"})");
  EXPECT_THAT(response, HasSubstr(R"("code":"node_failed")"));
  EXPECT_THAT(response, HasSubstr("WRONGTYPE: the key holds another type: follow:2"));
  EXPECT_THAT(response, HasSubstr(R"("op":"follow")"));
}

TEST(PlansOnRedisTest, CLI7_TheLinesWorkOnRedis) {
  const RedisServer server;
  server.load(MILLRACE_SOURCE_DIR "/data/demo.redis");
  const TempFolder folder;
  const std::string registry = write_registry(folder, tcp_address(server));
  std::filesystem::create_directories(folder.path() + "/engine/bin");
  std::filesystem::create_symlink(MILLRACE_RANKD, folder.path() + "/engine/bin/rankd");
  for (const char* const name : {"plans", "data"}) {
    std::filesystem::create_directory_symlink(std::string(MILLRACE_SOURCE_DIR "/") + name,
                                              folder.path() + "/" + name);
  }
  const auto run = [&](const std::string& line) {
    return run_line("cd '" + folder.path() + "' && " + line + " --env test 2>&1 || true");
  };
  EXPECT_THAT(
      run(R"(echo '{"user_id": 1}' | engine/bin/rankd --async_scheduler --plan_name simple_plan)"),
      HasSubstr(R"("candidates":[{"id":1,"fields":{"name":"Chidi 1","country":"JP","age":57}}])"));
  // A slow build may miss 100 and 50 ms; then the answer must be exactly that error.
  for (const std::string flag : {"--deadline_ms 100", "--node_timeout_ms 50"}) {
    const std::string out = run(R"(echo '{"user_id": 1}' | engine/bin/rankd --async_scheduler )" +
                                flag + " --plan_name complex_plan");
    EXPECT_TRUE(out.find(R"({"id":1100,)") != std::string::npos ||
                out.find("deadline_exceeded") != std::string::npos ||
                out.find("node_timeout") != std::string::npos)
        << out;
  }
  EXPECT_THAT(
      run(R"(echo '{"user_id": 1}' | engine/bin/rankd --async_scheduler --plan_name my_plan)"),
      HasSubstr(R"("candidates":[{"id":100,"fields":{"score":50}},{"id":80,)"));
  EXPECT_THAT(run("engine/bin/rankd --async_scheduler --bench 100 --plan_name my_plan"),
              HasSubstr("100 (0 failed, 0 refused)"));
  EXPECT_THAT(run("engine/bin/rankd --async_scheduler --bench 1000 --bench_concurrency 100 "
                  "--plan_name my_plan"),
              HasSubstr("1000 (0 failed, 0 refused)"));
}

TEST(PlansOnRedisTest, CLI4_ADeadEndpointIsAStructuredError) {
  RedisServer server;
  const TempFolder folder;
  const RunningEngine redis(write_registry(folder, tcp_address(server)), "test");
  server.kill();
  EXPECT_THAT(answer(*redis.engine, R"({"user_id": 1, "plan": "simple_viewer"})"),
              HasSubstr(R"("error":{"code":"endpoint_unavailable")"));
}

}  // namespace
}  // namespace millrace::live
