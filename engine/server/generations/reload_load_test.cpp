// Reloads a server under load, over real sockets.

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "server/observation/live_fixture.h"
#include "server/server.h"

namespace millrace::server {
namespace {

using testing::live_plan;
using testing::LiveClient;
using testing::LiveRig;

using ::testing::HasSubstr;

/// The number of rows of an answer, which is what versions of the plan differ by.
int rows_of(const std::string& body) {
  int count = 0;
  for (std::size_t at = body.find(R"("id":)"); at != std::string::npos;
       at = body.find(R"("id":)", at + 1))
    ++count;
  return count;
}

std::string digest_of(const std::string& body) {
  const std::size_t at = body.find("sha256:");
  return at == std::string::npos ? "" : body.substr(at, 7 + 64);
}

TEST(ReloadLoadTest, S24_S25_NoRequestFailsWhilePlansAreReloadedUnderLoad) {
  LiveRig rig;
  rig.start();
  std::atomic<bool> is_over{false};
  std::atomic<int> answered{0};
  std::atomic<int> failed{0};
  std::atomic<int> went_back{0};
  std::vector<std::thread> clients;
  for (int client = 0; client < 4; ++client) {
    clients.emplace_back([&] {
      LiveClient connection(rig.server->addresses()[0]);
      int rows = 0;
      while (!is_over.load()) {
        const auto [status, body] =
            connection.ask("POST", "/v1/rank/live", R"({"user_id":1,"limit":1000})");
        if (status != 200) ++failed;
        // Later versions have more rows, so an old one after a new one shows.
        if (rows_of(body) < rows) ++went_back;
        rows = rows_of(body);
        ++answered;
      }
    });
  }
  for (int version = 2; version <= 21; ++version) {
    rig.put("live", live_plan(version));
    const auto [status, body] = rig.admin("/v1/reload");
    EXPECT_EQ(status, 200) << body;
    // The version is active when the reload is over.
    LiveClient connection(rig.server->addresses()[0]);
    EXPECT_EQ(rows_of(connection.ask("GET", "/v1/rank/live?user_id=1&limit=1000").second), version);
  }
  is_over = true;
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(failed.load(), 0);
  EXPECT_EQ(went_back.load(), 0);
  EXPECT_GT(answered.load(), 20);
}

TEST(ReloadLoadTest, S25_ACompleteFileServesWithoutBeingAskedFor) {
  LiveRig rig;
  rig.start();
  LiveClient connection(rig.server->addresses()[0]);
  rig.put("live", live_plan(2));
  while (rows_of(connection.ask("GET", "/v1/rank/live?user_id=1").second) != 2)
    std::this_thread::yield();
  rig.put("more",
          R"({"schema_version":1,"name":"more","nodes":[{"id":"src","op":"fixed_source",)"
          R"("inputs":[],"params":{"row_count":3}}],"outputs":["src"],"output_keys":["id"]})");
  while (connection.ask("GET", "/v1/rank/more?user_id=1").first != 200) std::this_thread::yield();
  std::filesystem::remove(rig.folder.path() + "/plans/more.plan.json");
  while (connection.ask("GET", "/v1/rank/more?user_id=1").first != 404) std::this_thread::yield();
}

TEST(ReloadLoadTest, S26_ABadFileChangesNothingAndShowsEverywhere) {
  LiveRig rig;
  rig.start();
  LiveClient connection(rig.server->addresses()[0]);
  rig.put("live", live_plan(2).substr(0, 60));
  const auto [status, problem] = rig.admin("/v1/reload");
  EXPECT_EQ(status, 422);
  EXPECT_THAT(problem, HasSubstr("urn:millrace:error:invalid_plan"));
  EXPECT_THAT(problem, HasSubstr("live.plan.json"));
  EXPECT_EQ(rows_of(connection.ask("GET", "/v1/rank/live?user_id=1").second), 1);
  const auto [ready, text] = connection.ask("GET", "/readyz?verbose");
  EXPECT_EQ(ready, 200);
  EXPECT_THAT(text, HasSubstr("[-]plan live: stale: "));
  const std::string metrics =
      LiveClient(rig.server->addresses().back()).ask("GET", "/metrics").second;
  EXPECT_THAT(metrics, HasSubstr("\nrankd_plans_stale 1.0\n"));
  EXPECT_THAT(metrics, HasSubstr("rankd_plan_reloads_total{outcome=\"refused\"}"));
  EXPECT_THAT(rig.log_text(), HasSubstr("\"event\":\"plan_refused\""));
  // A good file ends it.
  rig.put("live", live_plan(3));
  EXPECT_EQ(rig.admin("/v1/reload").first, 200);
  EXPECT_EQ(rows_of(connection.ask("GET", "/v1/rank/live?user_id=1").second), 3);
  EXPECT_EQ(connection.ask("GET", "/readyz?verbose").second.find("stale"), std::string::npos);
}

TEST(ReloadLoadTest, S28_S29_OperatorsChooseVersions) {
  LiveRig rig;
  rig.start();
  LiveClient connection(rig.server->addresses()[0]);
  const auto rows = [&](int user) {
    return rows_of(
        connection.ask("GET", base::format("/v1/rank/live?user_id={}&limit=9", user)).second);
  };
  EXPECT_EQ(rig.admin("/v1/plans/live/rollback").first, 409);
  EXPECT_EQ(rig.admin("/v1/plans/nope/rollback").first, 404);
  EXPECT_EQ(rig.admin("/v1/plans/live/pin", R"({"version":"v9"})").first, 404);
  EXPECT_EQ(rig.admin("/v1/plans/live/pin", R"({"version":"v1"})").first, 200);
  rig.put("live", live_plan(2, "v2"));
  EXPECT_EQ(rig.admin("/v1/reload").first, 200);
  EXPECT_EQ(rows(1), 1);
  const auto [status, versions] =
      rig.admin("/v1/plans/live/canary", R"({"version":"v2","percent":50})");
  EXPECT_EQ(status, 200) << versions;
  EXPECT_THAT(versions, HasSubstr(R"("state":"canary","in_file":true,"percent":50)"));
  std::map<int, int> users;
  for (int user = 0; user < 40; ++user) ++users[rows(user)];
  EXPECT_GT(users[1], 5);
  EXPECT_GT(users[2], 5);
  for (int user = 0; user < 40; ++user) EXPECT_EQ(rows(user), rows(user));
  EXPECT_THAT(LiveClient(rig.server->addresses().back()).ask("GET", "/metrics").second,
              HasSubstr("rankd_canary_share{plan=\"live\"} 0.5"));
  EXPECT_EQ(rig.admin("/v1/plans/live/unpin").first, 200);
  EXPECT_EQ(rows(1), 2);
  EXPECT_EQ(rig.admin("/v1/plans/live/rollback").first, 200);
  EXPECT_EQ(rows(1), 1);
  EXPECT_EQ(rig.admin("/v1/reload").first, 200);
  EXPECT_EQ(rows(1), 1);
  EXPECT_THAT(connection.ask("GET", "/v1/plans/live/versions").second,
              HasSubstr(R"("version":"v2")"));
  // A request may name a version that is kept.
  const auto [ok, named] =
      connection.ask("POST", "/v1/rank/live", R"({"user_id":1,"plan_version":"v2"})");
  EXPECT_EQ(ok, 200) << named;
  EXPECT_EQ(rows_of(named), 2);
  EXPECT_FALSE(digest_of(named).empty());
}

TEST(ReloadLoadTest, S28_PinsAndRollbacksSurviveARestart) {
  const host::testing::TempFolder states;
  LiveRig rig(states.path() + "/state.json");
  rig.start();
  rig.put("live", live_plan(2, "v2"));
  EXPECT_EQ(rig.admin("/v1/reload").first, 200);
  EXPECT_EQ(rig.admin("/v1/plans/live/rollback").first, 200);
  rig.server.reset();
  rig.start();
  LiveClient connection(rig.server->addresses()[0]);
  EXPECT_EQ(rows_of(connection.ask("GET", "/v1/rank/live?user_id=1").second), 1);
  rig.put("live", live_plan(3, "v3"));
  EXPECT_EQ(rig.admin("/v1/reload").first, 200);
  EXPECT_EQ(rows_of(connection.ask("GET", "/v1/rank/live?user_id=1").second), 3);
}

TEST(ReloadLoadTest, S37_AdminRoutesAreOnTheAdminListenerAndNotForWebPages) {
  LiveRig rig;
  rig.start();
  EXPECT_EQ(LiveClient(rig.server->addresses()[0]).ask("POST", "/v1/reload").first, 404);
  EXPECT_EQ(LiveClient(rig.server->addresses().back())
                .ask("POST", "/v1/reload", R"({"surprise":1})")
                .first,
            422);
  EXPECT_EQ(
      LiveClient(rig.server->addresses().back()).ask("PUT", "/v1/plans/live", live_plan(5)).first,
      403);
  EXPECT_EQ(LiveClient(rig.server->addresses().back())
                .ask("PUT", "/v1/plans/live?dry_run=1", live_plan(5))
                .first,
            200);
  EXPECT_EQ(LiveClient(rig.server->addresses().back())
                .ask("PUT", "/v1/plans/other?dry_run=1", live_plan(5))
                .first,
            422);
}

TEST(ReloadLoadTest, AnUploadIsWrittenAndServed) {
  LiveRig rig;
  rig.with.allow_upload = true;
  rig.start();
  LiveClient admin(rig.server->addresses().back());
  EXPECT_EQ(admin.ask("PUT", "/v1/plans/live", "{").first, 422);
  EXPECT_EQ(admin.ask("PUT", "/v1/plans/live", live_plan(5)).first, 200);
  EXPECT_EQ(rows_of(LiveClient(rig.server->addresses()[0])
                        .ask("GET", "/v1/rank/live?user_id=1&limit=9")
                        .second),
            5);
  EXPECT_EQ(host::read_text_file(rig.folder.path() + "/plans/live.plan.json").value(),
            live_plan(5));
}

}  // namespace
}  // namespace millrace::server
