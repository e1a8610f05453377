#include "server/rank_exchange.h"

#include <chrono>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/fake_connector.h"
#include "observe/otlp_exporter.h"
#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class RankExchangeTest : public ::testing::Test {
 protected:
  RankExchangeTest() {
    rig.rank.load(small_plan());
    rig.rank.load(slow_plan());
  }
  std::string metrics() { return rig.ask("GET", "/metrics").reply_body; }
  FrontRig rig;
};

std::string candidates_of(const std::string& body) {
  const std::size_t begin = body.find(R"("candidates":)");
  return body.substr(begin, body.find(R"(,"took_ms")") - begin);
}

TEST_F(RankExchangeTest, S15_TheBodyIsTheLineThatRunPrints) {
  const std::string request = R"({"user_id":1,"limit":3,"plan":"p","request_id":"r"})";
  const auto line = rig.rank.ask(request);
  auto& answer = rig.ask("POST", "/v1/rank/p", request);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(field(answer, "Content-Type"), "application/json");
  EXPECT_EQ(candidates_of(answer.reply_body), candidates_of(line->response()));
  EXPECT_FALSE(candidates_of(line->response()).empty());
  auto& other = rig.ask("POST", "/rank", request);
  EXPECT_EQ(candidates_of(other.reply_body), candidates_of(line->response()));
}

TEST_F(RankExchangeTest, S15_AQueryIsARequest) {
  auto& by_query = rig.ask("GET", "/v1/rank/p?user_id=1&limit=3&seed=7&priority=low&trace=0");
  EXPECT_EQ(by_query.status, 200);
  auto& by_body = rig.ask("POST", "/v1/rank/p", R"({"user_id":1,"limit":3})");
  EXPECT_EQ(candidates_of(by_query.reply_body), candidates_of(by_body.reply_body));
  EXPECT_EQ(rig.ask("GET", "/v1/rank/p?user_id=x").status, 422);
  EXPECT_EQ(rig.ask("GET", "/v1/rank/p").status, 422);
  EXPECT_EQ(rig.ask("GET", "/v1/rank/p?user_id=1&priority=huge").status, 422);
  EXPECT_EQ(rig.ask("GET", "/v1/rank/p?user_id=1&explain=1,,2").status, 422);
}

TEST_F(RankExchangeTest, S16_StatusesFollowTheClosedList) {
  const auto status_of = [&](std::string target, std::string body) {
    return rig.ask("POST", std::move(target), std::move(body)).status;
  };
  EXPECT_EQ(status_of("/v1/rank/p", "{"), 400);
  EXPECT_EQ(status_of("/v1/rank/p", ""), 400);
  EXPECT_EQ(status_of("/v1/rank/p", R"({"user_id":"x"})"), 422);
  EXPECT_EQ(status_of("/v1/rank/p", R"({"user_id":1,"nope":1})"), 422);
  EXPECT_EQ(status_of("/v1/rank/none", R"({"user_id":1})"), 404);
  EXPECT_EQ(status_of("/v1/rank/p", R"({"user_id":1,"plan":"slow"})"), 422);
  EXPECT_EQ(status_of("/v1/rank/p", R"({"user_id":1,"plan_version":"9"})"), 404);
  EXPECT_EQ(status_of("/v1/rank/p", R"({"user_id":1,"scheduling":{"max_inline_depth":2}})"), 403);
  EXPECT_EQ(status_of("/v1/rank/p", std::string(9, '[') + std::string(9, ']')), 413);
  auto& answer = rig.ask("POST", "/v1/rank/p", R"({"user_id":true,"request_id":"r"})");
  EXPECT_EQ(field(answer, "Content-Type"), "application/problem+json");
  EXPECT_EQ(text_of(answer.reply_body, "type"), "urn:millrace:error:wrong_type");
  EXPECT_EQ(text_of(answer.reply_body, "request_id"), "r");
  EXPECT_NE(text_of(answer.reply_body, "detail"), "");
}

TEST_F(RankExchangeTest, S17_TheIdStandsInBodyHeaderAndLog) {
  auto& named = rig.ask(
      "POST", "/v1/rank/p", R"({"user_id":1,"request_id":"body"})", {{"X-Request-Id", "head"}});
  EXPECT_EQ(field(named, "X-Request-Id"), "body");
  EXPECT_EQ(text_of(named.reply_body, "request_id"), "body");
  auto& by_header = rig.ask("POST", "/v1/rank/p", R"({"user_id":1})", {{"X-Request-Id", "head"}});
  EXPECT_EQ(field(by_header, "X-Request-Id"), "head");
  EXPECT_EQ(text_of(by_header.reply_body, "request_id"), "head");
  auto& unnamed = rig.ask("POST", "/v1/rank/p", R"({"user_id":1})");
  EXPECT_EQ(field(unnamed, "X-Request-Id"), text_of(unnamed.reply_body, "engine_request_id"));
  EXPECT_THAT(unnamed.reply_body, ::testing::StartsWith(R"({"engine_request_id":"e)"));
  auto& failed = rig.ask("POST", "/v1/rank/none", R"({"user_id":1})");
  EXPECT_THAT(failed.reply_body, Not(HasSubstr(R"("request_id":null)")));
  auto& split = rig.ask("POST", "/v1/rank/p", R"({"user_id":1,"request_id":"a\r\nSet-Cookie: x"})");
  EXPECT_EQ(field(split, "X-Request-Id"), "");
  EXPECT_EQ(
      rig.ask("POST", "/v1/rank/p", R"({"user_id":1})", {{"X-Request-Id", std::string(129, 'x')}})
          .status,
      200);
}

TEST_F(RankExchangeTest, S18_TheLeastDeadlineCountsFromTheEndOfTheHead) {
  const std::string body = R"({"user_id":1,"deadline_ms":15})";
  EXPECT_EQ(rig.ask("POST", "/v1/rank/slow", body).status, 504);
  EXPECT_EQ(rig.ask("POST", "/v1/rank/slow", R"({"user_id":1})").status, 200);
  for (const char* name : {"X-Deadline-Ms", "x-envoy-expected-rq-timeout-ms"}) {
    auto& late = rig.ask("POST", "/v1/rank/slow", R"({"user_id":1})", {{name, "10"}});
    EXPECT_EQ(late.status, 504) << name;
    EXPECT_THAT(field(late, "Server-Timing"), HasSubstr("total;dur=10.000")) << name;
    EXPECT_EQ(rig.ask("POST", "/v1/rank/slow", R"({"user_id":1})", {{name, "30"}}).status, 200);
    for (const char* bad : {"0", "-1", "x", "1x", "", "nan", "inf"})
      EXPECT_EQ(rig.ask("POST", "/v1/rank/p", body, {{name, bad}}).status,
                std::string_view(bad) == "inf" ? 200 : 422)
          << bad;
  }
}

TEST_F(RankExchangeTest, S18_ADeadlineThatIsOverRunsNothing) {
  auto& exchange = rig.start("GET", "/livez");
  (void)exchange;
  net::FakeHttpExchange late("POST", "/v1/rank/p");
  late.request_fields().add("X-Deadline-Ms", "5");
  late.request_times().head_end = rig.rank.clock.now();
  rig.front().handler(ListenerKind::kMain).on_request(late);
  rig.rank.loop.advance(std::chrono::milliseconds(6));
  rig.rank.events.clear();
  late.receiver->on_body_end(R"({"user_id":1})");
  while (!late.is_complete) ASSERT_TRUE(rig.rank.step());
  EXPECT_EQ(late.status, 504);
  EXPECT_TRUE(rig.rank.events.empty());
  EXPECT_THAT(metrics(), HasSubstr(R"(rankd_shed_total{reason="deadline",priority="normal"} 1)"));
}

TEST_F(RankExchangeTest, ServerTimingNamesThePhases) {
  auto& answer = rig.ask("POST", "/v1/rank/slow", R"({"user_id":1})");
  EXPECT_EQ(field(answer, "Server-Timing"),
            "read;dur=0.000, wait;dur=0.000, run;dur=20.000, total;dur=20.000");
}

TEST_F(RankExchangeTest, S15_ADegradedAnswerSaysSo) {
  rig.rank.load(rank::testing::plan_text(
      rank::testing::source_node(2) +
          rank::testing::node("wait",
                              "sleep",
                              "src",
                              R"({"duration_ms": 5, "fail_after_sleep": true})",
                              R"("on_failure": {"use": "input"})"),
      R"(["wait"])",
      R"(["id"])",
      "weak"));
  auto& answer = rig.ask("POST", "/v1/rank/weak", R"({"user_id":1})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(field(answer, "X-Degraded"), "1");
  EXPECT_EQ(field(rig.ask("POST", "/v1/rank/p", R"({"user_id":1})"), "X-Degraded"), "");
}

TEST_F(RankExchangeTest, S11_AClientThatGoesCancelsItsRun) {
  auto& exchange = rig.start("POST", "/v1/rank/slow", R"({"user_id":1})");
  rig.rank.loop.advance(std::chrono::milliseconds(5));
  ASSERT_FALSE(exchange.is_complete);
  EXPECT_EQ(rig.front().open_count(), 1U);
  exchange.receiver->on_gone(net::kHttpClientGone);
  rig.rank.drain();
  EXPECT_EQ(rig.front().open_count(), 0U);
  EXPECT_EQ(rig.admission->stats().run_count, 0);
  EXPECT_FALSE(exchange.is_complete);
  const auto lines = rig.sink.lines();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], HasSubstr(R"("status":499,"outcome":"cancelled")"));
  EXPECT_THAT(metrics(), HasSubstr(R"(rankd_requests_total{plan="slow",outcome="cancelled"} 1)"));
}

TEST_F(RankExchangeTest, S11_AClientThatGoesBeforeItsBodyRunsNothing) {
  net::FakeHttpExchange exchange("POST", "/v1/rank/p");
  rig.front().handler(ListenerKind::kMain).on_request(exchange);
  EXPECT_EQ(rig.front().open_count(), 1U);
  exchange.receiver->on_gone(408);
  EXPECT_EQ(rig.front().open_count(), 0U);
  EXPECT_TRUE(rig.rank.events.empty());
}

TEST_F(RankExchangeTest, S44_RequestsInFlightAreCountedByPlan) {
  auto& first = rig.start("POST", "/v1/rank/slow", R"({"user_id":1})");
  auto& second = rig.start("POST", "/v1/rank/slow", R"({"user_id":1})");
  EXPECT_EQ(rig.ask("POST", "/v1/rank/none", R"({"user_id":1})").status, 404);
  EXPECT_THAT(metrics(), HasSubstr("rankd_plan_inflight{plan=\"slow\"} 2.0\n"));
  EXPECT_THAT(metrics(), HasSubstr("rankd_plan_inflight{plan=\"none\"} 0.0\n"));
  while (!first.is_complete || !second.is_complete) ASSERT_TRUE(rig.rank.step());
  EXPECT_THAT(metrics(), HasSubstr("rankd_plan_inflight{plan=\"slow\"} 0.0\n"));
}

TEST(RankExchangeLimitTest, S16_ARefusalSaysWhenToComeBack) {
  FrontRig rig({}, {.inflight_max = 1});
  rig.rank.load(slow_plan());
  auto& first = rig.start("POST", "/v1/rank/slow", R"({"user_id":1})");
  std::set<std::string> drawn;
  for (int turn = 0; turn < 50; ++turn) {
    auto& refused = rig.start("POST", "/v1/rank/slow", R"({"user_id":1})");
    rig.rank.loop.run_ready();
    ASSERT_TRUE(refused.is_complete);
    EXPECT_EQ(refused.status, 503);
    const std::string engine_id = field(refused, "X-Request-Id");
    EXPECT_EQ(refused.reply_body,
              R"({"type":"urn:millrace:error:busy","title":"Too many requests are under way",)"
              R"("status":503,"detail":"Too many requests are under way; try again later",)"
              R"("engine_request_id":")" +
                  engine_id +
                  R"(","error":{"code":"busy",)"
                  R"("message":"Too many requests are under way; try again later"}})");
    drawn.insert(field(refused, "Retry-After"));
  }
  EXPECT_EQ(drawn, (std::set<std::string>{"1", "2", "3"}));
  EXPECT_THAT(rig.ask("GET", "/metrics").reply_body,
              HasSubstr(R"(rankd_shed_total{reason="limit",priority="normal"} 50)"));
  while (!first.is_complete) ASSERT_TRUE(rig.rank.step());
  EXPECT_EQ(first.status, 200);
}

TEST_F(RankExchangeTest, WhatIsUnderWayCanBeRefusedAtTheEnd) {
  auto& first = rig.start("POST", "/v1/rank/slow", R"({"user_id":1})", {{"X-Request-Id", "r"}});
  auto& second = rig.start("POST", "/v1/rank/slow", R"({"user_id":1})");
  rig.rank.loop.advance(std::chrono::milliseconds(5));
  rig.front().refuse_all();
  for (auto* const exchange : {&first, &second}) {
    EXPECT_TRUE(exchange->is_complete);
    EXPECT_EQ(exchange->status, 503);
    EXPECT_TRUE(exchange->closes);
    EXPECT_EQ(text_of(exchange->reply_body, "type"), "urn:millrace:error:draining");
  }
  EXPECT_EQ(text_of(first.reply_body, "request_id"), "r");
  rig.rank.drain();
  EXPECT_EQ(rig.front().open_count(), 0U);
  EXPECT_EQ(rig.admission->stats().run_count, 0);
}

TEST_F(RankExchangeTest, ExplainRoutesNeedIdsToExplain) {
  auto& without = rig.ask("POST", "/v1/explain/p", R"({"user_id":1})");
  EXPECT_EQ(without.status, 422);
  EXPECT_EQ(text_of(without.reply_body, "type"), "urn:millrace:error:missing_field");
}

TEST_F(RankExchangeTest, S38_AnswersAreCountedByPlanOutcomeRouteAndStatus) {
  (void)rig.ask("POST", "/v1/rank/p", R"({"user_id":1})");
  (void)rig.ask("POST", "/v1/rank/p", "{");
  const std::string page = metrics();
  EXPECT_THAT(page, HasSubstr(R"(rankd_requests_total{plan="p",outcome="ok"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(rankd_requests_total{plan="none",outcome="invalid"} 1)"));
  EXPECT_THAT(page,
              HasSubstr(R"(rankd_http_requests_total{route="/v1/rank/{plan}",code="200"} 1)"));
  EXPECT_THAT(page,
              HasSubstr(R"(rankd_http_requests_total{route="/v1/rank/{plan}",code="400"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(rankd_request_duration_seconds_count{plan="p"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(rankd_inflight{priority="normal"} 0.0)"));
}

TEST_F(RankExchangeTest, S41_RequestsOfATracingCallerAreExportedAndBecomeExemplars) {
  net::FakeConnector connector(rig.rank.loop);
  base::SplitMix64 random(1);
  observe::OtlpExporter exporter(rig.rank.loop, connector, random, {});
  rig.otlp = &exporter;
  rig.rank.wall_clock.advance(std::chrono::hours(1));
  const std::string sampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const std::string unsampled = "00-4bf92f3577b34da6a3ce929d0e0e4737-00f067aa0ba902b7-00";
  (void)rig.ask("POST", "/v1/rank/slow", R"({"user_id":1})", {{"traceparent", sampled}});
  (void)rig.ask("POST", "/v1/rank/slow", R"({"user_id":1})", {{"traceparent", unsampled}});
  (void)rig.ask("POST", "/v1/rank/slow", R"({"user_id":1})");
  (void)rig.ask("POST", "/v1/rank/slow", "{", {{"traceparent", sampled}});
  bool is_flushed = false;
  exporter.flush([&] { is_flushed = true; });
  rig.rank.loop.run_ready();
  ASSERT_EQ(connector.peer_count(), 1U);
  const std::string post = connector.peer(0).received();
  EXPECT_THAT(post, HasSubstr(R"("traceId":"4bf92f3577b34da6a3ce929d0e0e4736")"));
  EXPECT_THAT(post, HasSubstr(R"("parentSpanId":"00f067aa0ba902b7")"));
  EXPECT_THAT(post, HasSubstr(R"("key":"error.type","value":{"stringValue":"bad_json"})"));
  EXPECT_THAT(post, Not(HasSubstr("4bf92f3577b34da6a3ce929d0e0e4737")));
  const std::string page =
      rig.ask("GET", "/metrics", "", {{"Accept", "application/openmetrics-text"}}).reply_body;
  EXPECT_THAT(page,
              HasSubstr(R"(rankd_request_duration_seconds_bucket{plan="slow",le="0.025"} 3 # )"
                        R"({trace_id="4bf92f3577b34da6a3ce929d0e0e4736"} 0.02 3600.000)"));
  EXPECT_THAT(rig.sink.lines()[1], HasSubstr(R"("trace_id":"4bf92f3577b34da6a3ce929d0e0e4737")"));
  connector.peer(0).deliver("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
  rig.rank.loop.run_ready();
  EXPECT_TRUE(is_flushed);
}

}  // namespace
}  // namespace millrace::server::testing
