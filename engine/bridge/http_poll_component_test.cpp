#include "bridge/http_poll_component.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "bridge/bridge_fixture.h"
#include "bridge/http_link.h"
#include "graph/compile/component_registry.h"
#include "net/http_message.h"

namespace millrace::bridge {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Gives the next of some replies at each request; status 0: no server.
class ScriptedLink final : public HttpLink {
 public:
  explicit ScriptedLink(std::vector<net::HttpReply> replies) : replies_(std::move(replies)) {}
  base::Result<net::HttpReply> get() override {
    const net::HttpReply& reply = replies_[next_++ % replies_.size()];
    if (reply.status == 0) return base::fail(base::ErrorCode::kUnavailable, "nobody there");
    return reply;
  }

 private:
  const std::vector<net::HttpReply> replies_;
  std::size_t next_ = 0;
};

graph::ComponentRegistry types(std::vector<net::HttpReply> replies) {
  graph::ComponentRegistry registry = graph::builtin_registry();
  EXPECT_TRUE(register_http_poll_component(
      registry, [replies](const HttpLinkSettings&) -> base::Result<std::unique_ptr<HttpLink>> {
        return std::make_unique<ScriptedLink>(replies);
      }));
  return registry;
}

std::string poller(const std::string& config) {
  return graph_text(
      {"id: in, type: http.poll, event_sources: [{type: timer, period: 10ms}], config: {" + config +
           "}",
       "id: o, type: core.output, trigger_policy: {type: any_input}"},
      {"id: io, kind: immediate, from: in.out, to: o.in",
       "id: is, kind: immediate, from: in.status, to: o.status"});
}

TEST(HttpPoll, G67_BodiesArePublishedAndOutagesTold) {
  const std::vector<net::HttpReply> replies{{.status = 200, .body = "{\"a\": 1}"},
                                            {.status = 503, .body = "busy"},
                                            {.status = 0},
                                            {.status = 200, .body = "plain text"}};
  const auto result =
      run_graph(poller("url: 'http://host:80/x'"), types(replies), {.duration = 35ms});
  EXPECT_TRUE(result.ok);
  EXPECT_THAT(values(result),
              ElementsAre(R"({"ok":true})",
                          R"({"a":1})",
                          R"({"ok":false,"problem":"The server answered with status 503"})",
                          R"({"ok":true})",
                          R"("plain text")"));
}

TEST(HttpPoll, G67_ChangesOnlyPublishesWhatDiffers) {
  const std::vector<net::HttpReply> replies{
      {.status = 200, .body = "1"}, {.status = 200, .body = "1"}, {.status = 200, .body = "2"}};
  const auto result = run_graph(
      poller("url: 'http://host/', changes_only: true"), types(replies), {.duration = 25ms});
  EXPECT_THAT(values(result), ElementsAre(R"({"ok":true})", "1", "2"));
}

TEST(HttpPoll, APageThatNeverCameIsAnErrorUnlessSomebodyListens) {
  const std::string deaf = graph_text(
      {"id: in, type: http.poll, event_sources: [{type: timer, period: 10ms}], config: {url: "
       "'http://host/'}",
       "id: o, type: core.output, trigger_policy: {type: any_input}"},
      {"id: io, kind: immediate, from: in.out, to: o.in"});
  const auto result = run_graph(deaf, types({{.status = 0}}), {.steps = 2});
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().message, "nobody there");
  EXPECT_TRUE(run_graph(poller("url: 'http://host/'"), types({{.status = 0}}), {.steps = 2}).ok);
}

TEST(HttpPoll, G7_ABadUrlHasCodeAndPlace) {
  const std::string report = report_of(poller("url: 'ftp://host/'"), types({}));
  EXPECT_THAT(report, HasSubstr("graph:6:"));
  EXPECT_THAT(report, HasSubstr("bad_config: Expected http://HOST:PORT/PATH"));
}

}  // namespace
}  // namespace millrace::bridge
