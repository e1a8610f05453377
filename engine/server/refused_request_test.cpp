// What is counted, logged and said of requests that the connection refuses after their head.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/connected_front_fixture.h"

namespace millrace::server::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

using Place = std::pair<std::string, std::string>;

class RefusedRequestTest : public ::testing::Test {
 protected:
  /// Without the request that reads the counts.
  std::map<Place, int> counted() {
    auto counts = front.counted();
    counts.erase({"/metrics", "200"});
    return counts;
  }
  ConnectedFront front;
};

TEST_F(RefusedRequestTest, S42_ABodyThatIsTooLargeIsCountedOnceOnItsRouteWithItsId) {
  const std::string answer = front.ask(
      "POST /v1/rank/p HTTP/1.1\r\nHost: h\r\nX-Request-Id: mine\r\nContent-Length: "
      "9000000\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(answer, HasSubstr("X-Request-Id: mine\r\n"));
  EXPECT_THAT(answer, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(answer, HasSubstr("\"request_id\":\"mine\""));
  EXPECT_THAT(counted(), ElementsAre(Pair(Place("/v1/rank/{plan}", "413"), 1)));
}

TEST_F(RefusedRequestTest, S42_SoIsOneForAPageABatchOrAMessageThatNobodyExpects) {
  (void)front.ask(post("/v1/rank/p/batch", "x", "Content-Encoding: br\r\n"));
  (void)front.ask("GET /metrics HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
  (void)front.ask("GET /livez HTTP/1.1\r\nHost: h\r\nExpect: wonders\r\n\r\n");
  EXPECT_THAT(counted(),
              ElementsAre(Pair(Place("/livez", "417"), 1),
                          Pair(Place("/metrics", "413"), 1),
                          Pair(Place("/v1/rank/{plan}/batch", "415"), 1)));
}

TEST_F(RefusedRequestTest, S42_WhatHasNoHeadHasNoRoute) {
  (void)front.ask("GET / HTTP/7.1\r\n\r\n");
  EXPECT_THAT(counted(), ElementsAre(Pair(Place("none", "505"), 1)));
}

TEST_F(RefusedRequestTest, S11_AClientThatLeavesAPageIsCountedToo) {
  net::FakePeer& client = front.listener.connect();
  front.rig.rank.loop.run_ready();
  client.deliver("POST /v1/rank/p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe");
  client.reset();
  front.rig.rank.loop.run_ready();
  EXPECT_THAT(counted(), ElementsAre(Pair(Place("/v1/rank/{plan}", "499"), 1)));
}

TEST(GoneRequestTest, S11_AClientThatLeavesWhileAPageOrAnOrderIsUnderWayIsCounted) {
  FrontRig rig;
  AgreeingDesk desk;
  rig.admin = &desk;
  for (const char* path : {"/metrics", "/v1/reload"}) {
    const bool is_page = std::string_view(path) == "/metrics";
    auto& asked = rig.start(is_page ? "GET" : "POST", path, {}, {}, ListenerKind::kAdmin);
    ASSERT_FALSE(asked.is_complete);
    asked.receiver->on_gone(net::kHttpClientGone);
    while (rig.rank.step()) {
    }
    EXPECT_THAT(rig.ask("GET", "/metrics").reply_body,
                HasSubstr("rankd_http_requests_total{route=\"" + std::string(path) +
                          "\",code=\"499\"} 1\n"));
  }
}

}  // namespace
}  // namespace millrace::server::testing
