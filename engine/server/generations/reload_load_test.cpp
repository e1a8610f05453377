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

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/format.h"
#include "base/log/log.h"
#include "base/log/log_sink.h"
#include "host/host_fixture.h"
#include "server/server.h"

namespace millrace::server {
namespace {

using ::testing::HasSubstr;

/// One connection to a server, which asks and waits.
class LiveClient {
 public:
  explicit LiveClient(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
    inet_pton(AF_INET, address.substr(0, colon).c_str(), &place.sin_addr);
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    is_open_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0;
  }
  ~LiveClient() { ::close(socket_); }
  LiveClient(const LiveClient&) = delete;
  LiveClient& operator=(const LiveClient&) = delete;

  /// The status and body of an answer; status 0: the connection has failed.
  std::pair<int, std::string> ask(std::string_view method,
                                  std::string_view path,
                                  std::string_view body = {}) {
    const std::string text =
        base::format("{} {} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{}",
                     method,
                     path,
                     body.size(),
                     body);
    if (!is_open_ || ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) < 0) return {};
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive()) return {};
    }
    const std::string head = buffer_.substr(0, end + 4);
    const std::size_t length_at = head.find("Content-Length: ");
    const std::size_t length =
        length_at == std::string::npos ? 0 : std::stoul(head.substr(length_at + 16));
    while (buffer_.size() < head.size() + length) {
      if (!receive()) return {};
    }
    std::pair<int, std::string> answer(std::stoi(head.substr(9, 3)),
                                       buffer_.substr(head.size(), length));
    buffer_.erase(0, head.size() + length);
    return answer;
  }

 private:
  bool receive() {
    char bytes[4096];
    const auto count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }
  int socket_ = -1;
  bool is_open_ = false;
  std::string buffer_;
};

std::string live_plan(int rows, std::string_view version = "") {
  return base::format(
      R"({{"schema_version":1,"name":"live",{}"nodes":[)"
      R"({{"id":"src","op":"fixed_source","inputs":[],"params":{{"row_count":{}}}}},)"
      R"({{"id":"wait","op":"sleep","inputs":["src"],"params":{{"duration_ms":1}}}}],)"
      R"("outputs":["wait"],"output_keys":["id"]}})",
      version.empty() ? "" : base::format(R"("version":"{}",)", version),
      rows);
}

/// A server whose folder of plans a test may change.
struct LiveRig {
  explicit LiveRig(std::string state_file = {}) {
    std::filesystem::create_directory(folder.path() + "/plans");
    put("live", live_plan(1, "v1"));
    settings.plan_dir = folder.path() + "/plans";
    settings.loops = 2;
    settings.log = &log;
    with.listen = {"127.0.0.1:0"};
    with.admin = "127.0.0.1:0";
    with.front.has_admin = true;
    with.state_file = std::move(state_file);
  }
  void start() {
    std::shared_ptr<const host::Project> project = host::testing::open_project(settings);
    auto started = Server::start({.engine = *host::Engine::start(settings, project),
                                  .host = settings,
                                  .extensions = host::testing::all_extensions,
                                  .log = &log},
                                 with);
    ASSERT_TRUE(started.has_value()) << started.error().text;
    server = *std::move(started);
    while (!server->readiness().is_ready()) std::this_thread::yield();
  }
  /// Writes a plan as deployments should: beside it, then by renaming.
  void put(const std::string& name, const std::string& artifact) const {
    folder.write("upload", artifact);
    std::filesystem::rename(folder.path() + "/upload",
                            folder.path() + "/plans/" + name + ".plan.json");
  }
  std::pair<int, std::string> admin(std::string_view path, std::string_view body = {}) const {
    return LiveClient(server->addresses().back()).ask("POST", path, body);
  }
  [[nodiscard]] std::string log_text() const {
    std::string all;
    for (const std::string& line : sink.lines()) all += line + "\n";
    return all;
  }

  host::testing::TempFolder folder;
  base::MemoryLogSink sink;
  base::Logger log{sink};
  host::Settings settings = host::testing::repository_settings();
  ServerSettings with;
  std::unique_ptr<Server> server;
};

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
