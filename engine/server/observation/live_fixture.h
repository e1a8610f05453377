#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/format.h"
#include "base/log/log.h"
#include "base/log/log_sink.h"
#include "host/host_fixture.h"
#include "server/server.h"

// For tests only: a server with real sockets and a client that blocks.

namespace millrace::server::testing {

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

inline std::string live_plan(int rows, std::string_view version = "") {
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

}  // namespace millrace::server::testing
