#include "server/problem.h"

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_error.h"

namespace millrace::server {
namespace {

TEST(ProblemTest, S16_EveryErrorOfTheEngineHasAStatus) {
  for (const rank::RankErrorEntry& entry : rank::error_table())
    EXPECT_EQ(problem_of(entry.code).code, entry.name);
  EXPECT_EQ(problem_of(rank::RankErrorCode::kBusy).status, 503);
  EXPECT_EQ(problem_of(rank::RankErrorCode::kEndpointUnavailable).status, 502);
  EXPECT_EQ(problem_of(rank::RankErrorCode::kNodeTimeout).status, 504);
}

TEST(ProblemTest, S16_CodesAreUniqueAndInOrderOfStatus) {
  std::set<std::string_view> codes;
  int last = 0;
  for (const ProblemEntry& entry : problem_table()) {
    EXPECT_TRUE(codes.insert(entry.code).second) << entry.code;
    EXPECT_GE(entry.status, last);
    last = entry.status;
  }
}

TEST(ProblemTest, S16_EveryCodeHasACureOnTheReferencePage) {
  for (const ProblemEntry& entry : problem_table())
    EXPECT_TRUE(entry.cure.ends_with('.')) << entry.code;
  std::ifstream file(std::string(MILLRACE_SOURCE_DIR) + "/docs/reference/request-errors.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(page, problem_reference()) << "print it anew: request_errors_page > docs/reference/…";
}

TEST(ProblemTest, S16_StatusesOfTheConnectionHaveTheirReasonAsCode) {
  EXPECT_EQ(problem_of_status(400).code, "bad_request");
  EXPECT_EQ(problem_of_status(408).code, "request_timeout");
  EXPECT_EQ(problem_of_status(413).code, "too_large");
  EXPECT_EQ(problem_of_status(414).code, "uri_too_long");
  EXPECT_EQ(problem_of_status(417).code, "expectation_failed");
  EXPECT_EQ(problem_of_status(501).code, "not_implemented");
  EXPECT_EQ(problem_of_status(505).code, "http_version_not_supported");
  EXPECT_EQ(problem_of_status(599).code, "internal");
}

TEST(ProblemTest, MembersOfAResponseFollowItsBrace) {
  EXPECT_EQ(members_of(R"({"request_id":"r","x":1})"), R"("request_id":"r","x":1})");
}

TEST(ProblemTest, TextOfCallersIsEscaped) {
  std::string body;
  write_problem({.code = "no_route", .detail = "a\"\n\x01"}, {.request_id = "\""}, body);
  EXPECT_EQ(
      body,
      R"({"type":"urn:millrace:error:no_route","title":"There is no such route","status":404,)"
      R"("detail":"a\"\n\u0001","request_id":"\"",)"
      R"("error":{"code":"no_route","message":"a\"\n\u0001"}})");
}

}  // namespace
}  // namespace millrace::server
