#pragma once

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "net/fake_listener.h"
#include "net/http/http_server.h"
#include "net/http/http_server_fixture.h"
#include "server/front_fixture.h"

namespace millrace::server::testing {

/// A front behind connections on fake streams.
class ConnectedFront : private net::Acceptor {
 public:
  ConnectedFront() : http({.loop = rig.rank.loop, .wall_clock = rig.rank.wall_clock}) {
    rig.rank.load(small_plan());
  }

  /// Sends bytes over a new connection, in pieces, and gives what comes back until nothing happens
  /// any more.
  std::string ask(const std::string& bytes) {
    net::FakePeer& client = listener.connect();
    rig.rank.loop.run_ready();
    client.deliver_split(bytes, 4096);
    while (rig.rank.step()) {
    }
    std::string answer = client.take_received();
    if (answer.size() >= 12) ++seen[answer.substr(9, 3)];
    return answer;
  }

  /// The page of metrics, asked for without a connection.
  std::string metrics() {
    ++seen["200"];
    return rig.ask("GET", "/metrics").reply_body;
  }

  /// How many requests were counted before this one, by route and status.
  std::map<std::pair<std::string, std::string>, int> counted() {
    std::map<std::pair<std::string, std::string>, int> counts;
    std::istringstream lines(metrics());
    const std::string name = "rankd_http_requests_total{route=\"";
    const std::string code = "\",code=\"";
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(name)) continue;
      const std::size_t middle = line.find(code);
      counts[{line.substr(name.size(), middle - name.size()),
              line.substr(middle + code.size(), 3)}] = std::stoi(line.substr(line.rfind(' ')));
    }
    return counts;
  }

  FrontRig rig;
  net::HttpServer http;
  net::FakeListener listener{rig.rank.loop, *this};
  std::map<std::string, int> seen;  ///< answers that clients got, by status

 private:
  void on_incoming(std::unique_ptr<net::Incoming> incoming) override {
    http.take(std::move(incoming), rig.front().handler(ListenerKind::kMain));
  }
  void on_accept_paused(const base::Error& /*reason*/) override {}
  void on_listener_closed() override {}
};

using net::post;

}  // namespace millrace::server::testing
