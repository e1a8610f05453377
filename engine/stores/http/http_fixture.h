#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/check.h"
#include "net/fake_connector.h"
#include "net/http_client.h"
#include "plan/param_value.h"
#include "stores/http/http_fetch_client.h"
#include "stores/store_tasks.h"
#include "tasks/task_fixture.h"

// Runs HTTP tasks against a server that stands in the test, in virtual time.

namespace millrace::stores::testing {

/// The rig of tasks, with the tasks of this module and one http endpoint, 0, whose pages are here.
class HttpRig : public tasks::testing::TaskRig {
 public:
  explicit HttpRig(const net::HttpClientOptions& options = default_options())
      : connector(loop), client(loop, connector, options, 1) {
    MR_CHECK(register_store_tasks(registry).has_value());
    clients = {&client};
    connector.on_receive = [this](net::FakePeer& peer) { answer(peer); };
  }

  static net::HttpClientOptions default_options() {
    return {.address = {.host = "web", .port = 80}, .inflight_max = 8};
  }
  static plan::ParamValue endpoint() { return plan::EndpointId{0}; }
  static std::string reply(const std::string& status, const std::string& body) {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  }
  /// Makes `target` answer with a JSON document.
  void page(const std::string& target, const std::string& body) {
    pages[target] = reply("200 OK", body);
  }

  net::FakeConnector connector;
  HttpFetchClient client;
  std::map<std::string, std::string> pages;  ///< by target, the whole reply
  std::vector<std::string> asked;            ///< targets, in the order in which they came

 private:
  void answer(net::FakePeer& peer) {
    const std::string text = peer.take_received();
    const std::string target = text.substr(4, text.find(' ', 4) - 4);
    asked.push_back(target);
    const auto found = pages.find(target);
    peer.deliver(found == pages.end() ? reply("404 Not Found", "") : found->second);
  }
};

}  // namespace millrace::stores::testing
