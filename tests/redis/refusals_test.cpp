// Errors that a server sends instead of data, seen from plans: each is an error of the node that
// asked, which its fallback replaces. Real servers are used where Redis sends the error to reading
// commands; it sends READONLY and OOM to writes only, so a fake server sends those.

#include <exception>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "batch_server.h"
#include "host/waiting_call.h"
#include "known_answers.h"
#include "rank/request.h"
#include "redis_project.h"
#include "redis_server.h"
#include "stores/embedded_store.h"

namespace millrace::live {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kPatience = 60'000;
constexpr int kUsers = 20;

/// An engine on a server, and the answers of its plans for the first user.
class RefusedPlans {
 public:
  explicit RefusedPlans(const std::string& address)
      : registry_(write_registry(folder_, address)), running_(registry_, "test", {kGuardedPlan}) {}

  [[nodiscard]] std::string answer(const std::string& plan) {
    rank::RequestReader reader;
    host::WaitingCall call;
    call.run(running_.engine->ranker(0), reader, KnownAnswers::request(plan, 0, kPatience));
    return call.response();
  }
  /// Expects that a plan without fallbacks fails with this code and these words, and that one with
  /// them degrades.
  void expect_refused(const std::string& code, const std::string& words) {
    EXPECT_THAT(answer("complex_dag"),
                AllOf(HasSubstr(R"("error":{"code":")" + code + "\""),
                      HasSubstr(words),
                      HasSubstr(R"("node":"v","op":"viewer")")));
    EXPECT_THAT(answer("guarded_dag"),
                AllOf(HasSubstr(R"("candidates":[])"),
                      HasSubstr(R"("degraded":{"is":true,"reasons":[{"node":"v","kind":"error")")));
  }
  void expect_served() { EXPECT_THAT(answer("complex_dag"), HasSubstr(R"("candidates":[{"id":)")); }

 private:
  TempFolder folder_;
  std::string registry_;
  RunningEngine running_;
};

TEST(RefusalsTest, RED6_AServerThatLoadsItsData) {
  RedisServer server;
  server.load(server.folder().write("known.redis", known_data(kUsers)));
  server.cli("SAVE");
  server.kill();
  // The server loads slowly, key by key, and serves its clients in between.
  server.start({"--key-load-delay", "50000", "--loading-process-events-interval-bytes", "1024"},
               "Loading RDB");
  RefusedPlans plans(tcp_address(server));
  plans.expect_refused("endpoint_unavailable", "The store is loading its data: LOADING ");
  server.cli("CONFIG SET key-load-delay 0");
  while (server.cli("PING") != "PONG\n") std::this_thread::yield();
  plans.expect_served();
}

TEST(RefusalsTest, RED6_AReplicaThatHasLostItsMaster) {
  RedisServer server;
  server.load(server.folder().write("known.redis", known_data(kUsers)));
  RefusedPlans plans(unix_address(server));
  plans.expect_served();
  server.cli("CONFIG SET replica-serve-stale-data no");
  server.cli("REPLICAOF 127.0.0.1 " + std::to_string(free_port()));
  plans.expect_refused("endpoint_unavailable", "The store has lost its master: MASTERDOWN ");
  server.cli("REPLICAOF NO ONE");
  plans.expect_served();
}

TEST(RefusalsTest, RED6_AServerBusyWithAScript) {
  const RedisServer server({.arguments = {"--busy-reply-threshold", "1"}});
  server.load(server.folder().write("known.redis", known_data(kUsers)));
  RefusedPlans plans(unix_address(server));
  plans.expect_served();
  // The script ends with an error when it is killed; redis-cli only prints that.
  std::thread script([&] { server.cli("EVAL 'while true do end' 0"); });
  while (server.cli("PING").find("BUSY") == std::string::npos) std::this_thread::yield();
  plans.expect_refused("endpoint_unavailable", "The store is busy with a script: BUSY ");
  server.cli("SCRIPT KILL");
  script.join();
  plans.expect_served();
}

TEST(RefusalsTest, RED6_AUserWithoutPermissionOrPassword) {
  const RedisServer server;
  server.load(server.folder().write("known.redis", known_data(kUsers)));
  RefusedPlans plans(unix_address(server));
  plans.expect_served();
  server.cli("ACL SETUSER default -hgetall -hmget");
  plans.expect_refused("endpoint_unavailable", "The store's user may not do this: NOPERM ");
  server.cli("ACL SETUSER default +hgetall +hmget");
  plans.expect_served();
  server.cli("CONFIG SET requirepass secret");
  RefusedPlans strangers(unix_address(server));
  strangers.expect_refused("endpoint_unavailable", "NOAUTH");
}

TEST(RefusalsTest, RED6_ReadOnlyAndOutOfMemory) {
  const auto store = stores::EmbeddedStore::load(MILLRACE_SOURCE_DIR "/data/demo.redis");
  ASSERT_TRUE(store);
  const TempFolder folder;
  const auto expect = [&](const std::string& refusal, const std::string& code) {
    const std::string socket = folder.path() + "/" + code + ".sock";
    const BatchServer server(socket, *store, refusal);
    RefusedPlans plans("unix_path = '" + socket + "'");
    plans.expect_refused(code, refusal);
  };
  expect("READONLY You can't write against a read only replica.", "endpoint_unavailable");
  expect("OOM command not allowed when used memory > 'maxmemory'.", "limit_reached");
}

}  // namespace
}  // namespace millrace::live
