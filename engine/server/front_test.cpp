#include "server/front.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FrontTest : public ::testing::Test {
 protected:
  FrontTest() { rig.rank.load(small_plan()); }
  FrontRig rig;
};

TEST_F(FrontTest, S12_HeadWorksWhereGetDoesAndOptionsNamesTheMethods) {
  EXPECT_EQ(rig.ask("HEAD", "/v1/plans").status, 200);
  auto& options = rig.ask("OPTIONS", "/v1/rank/p");
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(field(options, "Allow"), "POST, GET, HEAD, OPTIONS");
  EXPECT_EQ(rig.ask("OPTIONS", "*").status, 204);
  auto& wrong = rig.ask("DELETE", "/v1/plans");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(field(wrong, "Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(text_of(wrong.reply_body, "type"), "urn:millrace:error:method_not_allowed");
}

TEST_F(FrontTest, S12_SegmentsAreDecodedOnceAfterTheSplit) {
  EXPECT_EQ(rig.ask("GET", "/v1/plans/%70").status, 200);
  for (const char* bad : {"/v1/plans/p%2Fversions",
                          "/v1/plans/%2570",
                          "/v1/plans/%zz",
                          "/v1/plans/p%00",
                          "/v1/plans/%C3%A4"}) {
    auto& answer = rig.ask("GET", bad);
    EXPECT_EQ(answer.status, 404) << bad;
    EXPECT_EQ(text_of(answer.reply_body, "type"), "urn:millrace:error:unknown_plan") << bad;
  }
  for (const char* none : {"/v1/plans/", "/v1/nothing", "//", "/v1/plans/p/", "/V1/plans"})
    EXPECT_THAT(rig.ask("GET", none).status, 404) << none;
  EXPECT_EQ(text_of(rig.ask("GET", "/nothing").reply_body, "type"), "urn:millrace:error:no_route");
}

TEST_F(FrontTest, S12_UnknownQueryFieldsAreRefusedAndPrettyIndents) {
  auto& answer = rig.ask("GET", "/v1/rank/p?user_id=1&limt=2");
  EXPECT_EQ(answer.status, 422);
  EXPECT_THAT(answer.reply_body, HasSubstr("did you mean 'limit'?"));
  EXPECT_EQ(rig.ask("POST", "/v1/rank/p?user_id=1", R"({"user_id":1})").status, 422);
  EXPECT_THAT(rig.ask("GET", "/v1/plans?pretty=1").reply_body, HasSubstr("{\n  \"plans\": [\n"));
  EXPECT_THAT(rig.ask("POST", "/v1/rank/p?pretty=1", R"({"user_id":1})").reply_body,
              HasSubstr("\n  \"candidates\": [\n"));
}

TEST_F(FrontTest, S13_OtherBodyTypesAreRefused) {
  const std::string body = R"({"user_id":1})";
  for (const char* good : {"application/json",
                           "application/json; charset=UTF-8",
                           "application/vnd.api+json",
                           "application/x-www-form-urlencoded",
                           ""})
    EXPECT_EQ(rig.ask("POST", "/v1/rank/p", body, {{"Content-Type", good}}).status, 200) << good;
  for (const char* bad : {"text/plain", "application/json; charset=latin1", "multipart/form-data"})
    EXPECT_EQ(rig.ask("POST", "/v1/rank/p", body, {{"Content-Type", bad}}).status, 415) << bad;
}

TEST_F(FrontTest, S2_MetricsLeaveTheMainListenerWhenThereIsAnother) {
  EXPECT_EQ(rig.ask("GET", "/metrics").status, 200);
  FrontRig with_admin({.has_admin = true});
  with_admin.rank.load(small_plan());
  EXPECT_EQ(with_admin.ask("GET", "/metrics").status, 404);
  EXPECT_EQ(with_admin.ask("GET", "/metrics", "", {}, ListenerKind::kAdmin).status, 200);
  EXPECT_EQ(with_admin.ask("GET", "/livez").status, 200);
  EXPECT_EQ(with_admin.ask("GET", "/livez", "", {}, ListenerKind::kAdmin).status, 200);
}

TEST_F(FrontTest, S16_ErrorsAreProblemsWithBothIds) {
  auto& answer = rig.ask("GET", "/nothing", "", {{"X-Request-Id", "abc"}});
  EXPECT_EQ(field(answer, "Content-Type"), "application/problem+json");
  EXPECT_EQ(text_of(answer.reply_body, "request_id"), "abc");
  EXPECT_EQ(text_of(answer.reply_body, "engine_request_id"), "e1");
  EXPECT_THAT(answer.reply_body, HasSubstr(R"("status":404,)"));
  EXPECT_THAT(answer.reply_body, HasSubstr(R"("error":{"code":"no_route","message":"No route)"));
  EXPECT_EQ(field(answer, "X-Request-Id"), "abc");
}

TEST_F(FrontTest, S16_WhatTheConnectionRefusesIsAProblemToo) {
  net::HttpFields fields;
  std::string body;
  rig.front()
      .handler(ListenerKind::kMain)
      .describe_refusal({.status = 431, .detail = "Too many fields"}, nullptr, fields, body);
  EXPECT_EQ(text_of(body, "type"), "urn:millrace:error:request_header_fields_too_large");
  EXPECT_EQ(fields.find("Content-Type"), "application/problem+json");
}

TEST_F(FrontTest, AnswersAreNeitherStoredNorSniffed) {
  for (const char* path : {"/", "/v1/plans", "/nothing", "/livez"}) {
    auto& answer = rig.ask("GET", path);
    EXPECT_EQ(field(answer, "Cache-Control"), "no-store") << path;
    EXPECT_EQ(field(answer, "X-Content-Type-Options"), "nosniff") << path;
  }
}

TEST_F(FrontTest, S46_ReadyOnceEndpointsAndPlansAreThenOnlyADrainChangesThat) {
  rig.readiness.expect({"redis"}, {"p"});
  EXPECT_EQ(rig.ask("GET", "/readyz").status, 503);
  rig.readiness.report_endpoint("redis", "Connection refused");
  rig.readiness.report_plan("p", std::nullopt);
  auto& verbose = rig.ask("GET", "/readyz?verbose");
  EXPECT_EQ(verbose.status, 503);
  EXPECT_THAT(verbose.reply_body, HasSubstr("[-]endpoint redis: Connection refused\n[+]plan p ok"));
  rig.readiness.report_endpoint("redis", std::nullopt);
  EXPECT_EQ(rig.ask("GET", "/readyz").status, 200);
  rig.readiness.report_endpoint("redis", "Connection lost");
  for (const char* path : {"/readyz", "/healthz", "/v2/health/ready"})
    EXPECT_EQ(rig.ask("GET", path).status, 200) << path;
  EXPECT_THAT(rig.ask("GET", "/readyz?verbose").reply_body, HasSubstr("Connection lost"));
  rig.readiness.begin_drain();
  auto& drained = rig.ask("GET", "/readyz");
  EXPECT_EQ(drained.status, 503);
  EXPECT_TRUE(drained.closes);
}

TEST_F(FrontTest, S46_LiveUntilALoopHasNotTurnedForASecond) {
  EXPECT_EQ(rig.ask("GET", "/livez").status, 200);
  rig.rank.loop.advance(std::chrono::milliseconds(1001));
  EXPECT_EQ(rig.ask("GET", "/livez").status, 503);
  rig.pulses.beat(0, rig.rank.clock.now());
  EXPECT_EQ(rig.ask("GET", "/v2/health/live").status, 200);
}

TEST_F(FrontTest, PlanPagesShowWhatIsLoaded) {
  EXPECT_THAT(rig.ask("GET", "/v1/plans").reply_body, HasSubstr(R"({"plans":[{"name":"p",)"));
  EXPECT_THAT(rig.ask("GET", "/v1/plans/p").reply_body, HasSubstr(R"("always_answers":)"));
  EXPECT_THAT(rig.ask("GET", "/v1/plans/p/versions").reply_body,
              HasSubstr(R"("state":"active","in_file":true}]})"));
  EXPECT_THAT(rig.ask("GET", "/v1/explain/p").reply_body, HasSubstr(R"("nodes":[{"id":"src")"));
  auto& unknown = rig.ask("GET", "/v1/plans/pp");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(unknown.reply_body, HasSubstr("No plan 'pp' is loaded"));
}

TEST_F(FrontTest, S42_EveryRequestIsLoggedOnceAndNeverWithItsPath) {
  (void)rig.ask("GET", "/secret-path");
  (void)rig.ask("POST",
                "/v1/rank/p",
                R"({"user_id":1})",
                {{"X-Request-Id", "r1"},
                 {"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}});
  const auto lines = rig.sink.lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], HasSubstr(R"("event":"request")"));
  EXPECT_THAT(lines[0], Not(HasSubstr("secret")));
  EXPECT_THAT(lines[1], HasSubstr(R"("request_id":"r1")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("route":"/v1/rank/{plan}")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("trace_id":"4bf92f3577b34da6a3ce929d0e0e4736")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("plan":"p")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("status":200,"outcome":"ok")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("rows":5)"));
}

}  // namespace
}  // namespace millrace::server::testing
