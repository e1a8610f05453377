#include "rank/request.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_error.h"
#include "rank/request_fixture.h"
#include "rows/value.h"
#include "runtime/topology/node.h"

namespace millrace::rank {
namespace {

using ::testing::ElementsAre;

TEST(RequestTest, ReadsEveryField) {
  const Request request = good_request(R"({"request_id": "r-1", "user_id": 7, "plan": "feed",
      "params": {"city": "Köln"}, "param_overrides": {"weight": 0.5, "on": true, "n": null},
      "deadline_ms": 12.5, "limit": 3, "exclude": [9, "4", 9], "output_keys": ["id", "score"],
      "priority": "low", "plan_version": "3", "fragment_versions": {"f": "1"},
      "seed": 18446744073709551615, "explain": {"ids": [1, "2"]}, "trace": true})");
  EXPECT_EQ(request.request_id, "r-1");
  EXPECT_EQ(request.user_id, 7);
  EXPECT_EQ(request.plan, "feed");
  ASSERT_EQ(request.params.size(), 1U);
  EXPECT_EQ(request.params[0].name, "city");
  EXPECT_EQ(request.params[0].value, rows::Value(std::string_view("Köln")));
  ASSERT_EQ(request.param_overrides.size(), 3U);
  EXPECT_EQ(request.param_overrides[0].value, rows::Value(0.5));
  EXPECT_EQ(request.param_overrides[1].value, rows::Value(true));
  EXPECT_EQ(request.param_overrides[2].value, rows::Value());
  EXPECT_EQ(request.deadline, std::chrono::microseconds(12'500));
  EXPECT_EQ(request.limit, 3);
  EXPECT_THAT(request.exclude, ElementsAre(4, 9));
  EXPECT_THAT(*request.output_keys, ElementsAre("id", "score"));
  EXPECT_EQ(request.priority, runtime::Priority::kLow);
  EXPECT_EQ(request.plan_version, "3");
  EXPECT_EQ(request.fragment_versions.size(), 1U);
  EXPECT_EQ(request.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_THAT(*request.explain_ids, ElementsAre(1, 2));
  EXPECT_TRUE(request.trace);
}

TEST(RequestTest, REQ10_WhatIsNoJsonIsBadJson) {
  EXPECT_EQ(refused_request("").code, RankErrorCode::kBadJson);
  EXPECT_EQ(refused_request(R"({"user_id": 1)").code, RankErrorCode::kBadJson);
  EXPECT_EQ(refused_request(R"({"user_id": 1} x)").code, RankErrorCode::kBadJson);
  EXPECT_EQ(refused_request(R"({"user_id": 1, "user_id": 2})").code, RankErrorCode::kBadJson);
  EXPECT_EQ(refused_request("{\"user_id\": \"\xff\"}").code, RankErrorCode::kBadJson);
}

TEST(RequestTest, REQ10_ARequestIsAnObject) {
  EXPECT_EQ(refused_request("[1]").code, RankErrorCode::kWrongType);
}

TEST(RequestTest, REQ10_UserIdIsRequired) {
  EXPECT_EQ(refused_request(R"({"plan": "p"})").code, RankErrorCode::kMissingField);
  EXPECT_EQ(refused_request(R"({"user_id": 1, "explain": {}})").code, RankErrorCode::kMissingField);
}

TEST(RequestTest, REQ10_ARefusedRequestStillHasItsId) {
  RequestReader reader;
  Request request;
  EXPECT_FALSE(reader.read(R"({"limit": -1, "user_id": 1, "request_id": "r"})", request));
  EXPECT_EQ(request.request_id, "r");
  // And the next one knows nothing of it.
  EXPECT_FALSE(reader.read("{", request));
  EXPECT_EQ(request.request_id, "");
}

TEST(RequestTest, ARequestIsUsedAgainAsIfItWereNew) {
  RequestReader reader;
  Request request;
  ASSERT_TRUE(reader.read(R"({"user_id": 1, "request_id": "r", "limit": 2, "exclude": [1],
      "output_keys": ["id"], "priority": "high", "seed": 5, "explain": {"ids": [1]}, "trace": true,
      "deadline_ms": 5, "plan": "p", "plan_version": "1", "params": {"a": 1},
      "param_overrides": {"a": 1}, "fragment_versions": {"a": 1}})",
                          request));
  ASSERT_TRUE(reader.read(R"({"user_id": 2})", request));
  EXPECT_EQ(request.user_id, 2);
  EXPECT_EQ(request.request_id, "");
  EXPECT_EQ(request.plan, "");
  EXPECT_EQ(request.plan_version, "");
  EXPECT_FALSE(request.limit);
  EXPECT_TRUE(request.exclude.empty());
  EXPECT_FALSE(request.output_keys);
  EXPECT_EQ(request.priority, runtime::Priority::kNormal);
  EXPECT_EQ(request.seed, 0U);
  EXPECT_FALSE(request.explain_ids);
  EXPECT_FALSE(request.trace);
  EXPECT_FALSE(request.deadline);
  EXPECT_TRUE(request.params.empty());
  EXPECT_TRUE(request.param_overrides.empty());
  EXPECT_TRUE(request.fragment_versions.empty());
}

}  // namespace
}  // namespace millrace::rank
