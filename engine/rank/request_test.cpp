#include "rank/request.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::rank {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Reads a request that must be good.
Request good(std::string_view text) {
  RequestReader reader;
  Request request;
  const auto read = reader.read(text, request);
  EXPECT_TRUE(read) << read.error().message;
  return request;
}

/// Reads a request that must be refused.
RankError refused(std::string_view text, const RequestLimits& limits = {}) {
  RequestReader reader(limits);
  Request request;
  const auto read = reader.read(text, request);
  EXPECT_FALSE(read);
  return read ? RankError{} : read.error();
}

TEST(RequestTest, ReadsEveryField) {
  const Request request = good(R"({"request_id": "r-1", "user_id": 7, "plan": "feed",
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

TEST(RequestTest, REQ12_CandidatesAreIdsAndObjectsWithKeys) {
  const Request request = good(R"({"user_id": 1, "candidates":
      [7, "9007199254740993", {"name": "x", "id": 8, "score": 3.1}, {"id": "9", "score": null}]})");
  ASSERT_TRUE(request.candidates);
  EXPECT_THAT(request.candidates->ids(), ElementsAre(7, 9007199254740993, 8, 9));
  ASSERT_EQ(request.candidates->given().size(), 2U);
  const auto& score = *request.candidates->find("score");
  ASSERT_EQ(score.entries.size(), 2U);
  EXPECT_EQ(score.entries[0].row, 2U);
  EXPECT_EQ(score.entries[0].value, rows::Value(3.1));
  EXPECT_EQ(score.entries[1].row, 3U);
  EXPECT_EQ(score.entries[1].value, rows::Value());
  EXPECT_EQ(request.candidates->find("name")->entries[0].value, rows::Value(std::string_view("x")));
  EXPECT_EQ(request.candidates->find("age"), nullptr);
}

TEST(RequestTest, REQ12_NoCandidatesAreNotTheSameAsNoneGiven) {
  EXPECT_TRUE(good(R"({"user_id": 1, "candidates": []})").candidates);
  EXPECT_FALSE(good(R"({"user_id": 1})").candidates);
}

TEST(RequestTest, REQ12_WhatIsNoCandidateIsRefusedAtItsPlace) {
  const auto code = [](const std::string& candidates) {
    return refused(R"({"user_id": 1, "candidates": )" + candidates + "}").code;
  };
  EXPECT_EQ(code("7"), RankErrorCode::kWrongType);
  EXPECT_EQ(code("null"), RankErrorCode::kWrongType);
  EXPECT_EQ(code("[1.5]"), RankErrorCode::kWrongType);
  EXPECT_EQ(code("[[1]]"), RankErrorCode::kWrongType);
  EXPECT_EQ(code("[null]"), RankErrorCode::kWrongType);
  EXPECT_EQ(code(R"(["x"])"), RankErrorCode::kBadValue);
  EXPECT_EQ(code("[9223372036854775808]"), RankErrorCode::kBadValue);
  EXPECT_EQ(code("[{}]"), RankErrorCode::kMissingField);
  EXPECT_EQ(code(R"([{"score": 1}])"), RankErrorCode::kMissingField);
  EXPECT_EQ(code(R"([{"id": null}])"), RankErrorCode::kWrongType);
  EXPECT_EQ(code(R"([{"id": 1, "score": [1]}])"), RankErrorCode::kWrongType);
  EXPECT_EQ(code(R"([{"id": 1, "likes": 9223372036854775808}])"), RankErrorCode::kBadValue);
  EXPECT_EQ(code(R"([{"id": 1, "likes": 1, "likes": 2}])"), RankErrorCode::kBadJson);
  EXPECT_EQ(refused("{\"user_id\": 1,\n \"candidates\": [1, {\"score\": 2}]}").message,
            "An object of 'candidates' needs 'id' (line 2, column 20)");
}

TEST(RequestTest, REQ12_TenThousandCandidatesAreTheMost) {
  std::string ids = "1";
  for (int i = 1; i < 10'000; ++i) ids += ",1";
  EXPECT_EQ(good(R"({"user_id": 1, "candidates": [)" + ids + "]}").candidates->ids().size(),
            10'000U);
  const RankError error = refused(R"({"user_id": 1, "candidates": [)" + ids + ",1]}");
  EXPECT_EQ(error.code, RankErrorCode::kTooLarge);
  EXPECT_THAT(error.message, HasSubstr("10001 ids and objects; at most 10000"));
}

TEST(RequestTest, REQ4_IdsAreExactAtTheEndsOfInt64) {
  EXPECT_EQ(good(R"({"user_id": 9223372036854775807})").user_id,
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(good(R"({"user_id": "-9223372036854775808"})").user_id,
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(good(R"({"user_id": 9007199254740993})").user_id, 9007199254740993);
  EXPECT_EQ(refused(R"({"user_id": 9223372036854775808})").code, RankErrorCode::kBadValue);
  EXPECT_EQ(refused(R"({"user_id": "9223372036854775808"})").code, RankErrorCode::kBadValue);
  EXPECT_EQ(refused(R"({"user_id": "12x"})").code, RankErrorCode::kBadValue);
  EXPECT_EQ(refused(R"({"user_id": ""})").code, RankErrorCode::kBadValue);
}

TEST(RequestTest, REQ10_WhatIsNoJsonIsBadJson) {
  EXPECT_EQ(refused("").code, RankErrorCode::kBadJson);
  EXPECT_EQ(refused(R"({"user_id": 1)").code, RankErrorCode::kBadJson);
  EXPECT_EQ(refused(R"({"user_id": 1} x)").code, RankErrorCode::kBadJson);
  EXPECT_EQ(refused(R"({"user_id": 1, "user_id": 2})").code, RankErrorCode::kBadJson);
  EXPECT_EQ(refused("{\"user_id\": \"\xff\"}").code, RankErrorCode::kBadJson);
}

TEST(RequestTest, REQ10_ARequestIsAnObject) {
  EXPECT_EQ(refused("[1]").code, RankErrorCode::kWrongType);
}

TEST(RequestTest, REQ1_AnUnknownFieldIsNamedWithItsPlaceAndALikelyOne) {
  const RankError error = refused("{\"user_id\": 1,\n \"limits\": 3}");
  EXPECT_EQ(error.code, RankErrorCode::kUnknownField);
  EXPECT_THAT(error.message, HasSubstr("'limits'"));
  EXPECT_THAT(error.message, HasSubstr("'limit'"));
  EXPECT_THAT(error.message, HasSubstr("line 2"));
}

TEST(RequestTest, REQ1_LongTextFromARequestIsCutInMessages) {
  const std::string text(1000, 'x');
  for (const std::string& field : {"\"" + text + "\": 1",
                                   "\"exclude\": [\"" + text + "\"]",
                                   "\"params\": {\"" + text + "\": []}",
                                   "\"candidates\": [{\"id\": 1, \"" + text + "\": []}]",
                                   "\"scheduling\": {\"" + text + "\": 1}"}) {
    EXPECT_LT(refused("{\"user_id\": 1, " + field + "}").message.size(), 200U) << field;
  }
}

TEST(RequestTest, REQ1_AMessageEndsWithThePlace) {
  EXPECT_EQ(refused("{\"user_id\": 1,\n \"limits\": 3}").message,
            "A request has no field 'limits'; did you mean 'limit'? (line 2, column 12)");
  EXPECT_EQ(refused(R"({"user_id": 1, "scheduling": {"max_inline_depth": -1}})").message,
            "'scheduling.max_inline_depth' must be from 0 to 1000000 (line 1, column 51)");
}

TEST(RequestTest, REQ10_UserIdIsRequired) {
  EXPECT_EQ(refused(R"({"plan": "p"})").code, RankErrorCode::kMissingField);
  EXPECT_EQ(refused(R"({"user_id": 1, "explain": {}})").code, RankErrorCode::kMissingField);
}

TEST(RequestTest, REQ10_EveryFieldHasItsType) {
  for (const std::string field : {R"("request_id": 1)",
                                  R"("plan": 1)",
                                  R"("params": [])",
                                  R"("params": {"a": []})",
                                  R"("param_overrides": 1)",
                                  R"("param_overrides": {"a": {}})",
                                  R"("deadline_ms": "5")",
                                  R"("limit": 1.5)",
                                  R"("exclude": 1)",
                                  R"("exclude": [1.5])",
                                  R"("output_keys": "id")",
                                  R"("output_keys": [1])",
                                  R"("priority": 1)",
                                  R"("plan_version": 1)",
                                  R"("fragment_versions": "1")",
                                  R"("seed": -1)",
                                  R"("explain": true)",
                                  R"("explain": {"ids": 1})",
                                  R"("trace": 1)"}) {
    EXPECT_EQ(refused("{\"user_id\": 1, " + field + "}").code, RankErrorCode::kWrongType) << field;
  }
  EXPECT_EQ(refused(R"({"user_id": null})").code, RankErrorCode::kWrongType);
  EXPECT_EQ(refused(R"({"user_id": 1.0})").code, RankErrorCode::kWrongType);
}

TEST(RequestTest, REQ10_EveryFieldHasItsRange) {
  for (const std::string field : {R"("request_id": "")",
                                  R"("plan": "")",
                                  R"("deadline_ms": 0)",
                                  R"("deadline_ms": -1)",
                                  R"("deadline_ms": 3600001)",
                                  R"("limit": -1)",
                                  R"("exclude": ["a"])",
                                  R"("output_keys": ["id", "id"])",
                                  R"("priority": "urgent")",
                                  R"("params": {"a": 9223372036854775808})"}) {
    EXPECT_EQ(refused("{\"user_id\": 1, " + field + "}").code, RankErrorCode::kBadValue) << field;
  }
}

TEST(RequestTest, REQ10_SizesAreBounded) {
  EXPECT_EQ(refused(R"({"user_id": 1, "exclude": [1, 2, 3]})", {.exclude_max = 2}).code,
            RankErrorCode::kTooLarge);
  EXPECT_EQ(refused(R"({"user_id": 1, "explain": {"ids": [1, 2]}})", {.explain_ids_max = 1}).code,
            RankErrorCode::kTooLarge);
  EXPECT_EQ(refused(R"({"user_id": 1, "output_keys": ["a", "b"]})", {.output_keys_max = 1}).code,
            RankErrorCode::kTooLarge);
  EXPECT_EQ(refused("{\"user_id\": 1, \"params\": " + std::string(10'000, '[')).code,
            RankErrorCode::kTooLarge);
  EXPECT_EQ(refused("{\"user_id\": 1, \"plan\": \"" + std::string(10 << 20, 'a') + "\"}").code,
            RankErrorCode::kTooLarge);
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

TEST(RequestTest, REQ11_SchedulingSetsHowARunIsInlined) {
  RequestReader reader;
  Request request;
  ASSERT_TRUE(reader.read(
      R"({"user_id": 1, "scheduling": {"enable_inline_execution": false,
          "inline_threshold_ns": 5000, "max_inline_depth": 7}})",
      request));
  EXPECT_EQ(request.scheduling.enable_inline_execution, false);
  EXPECT_EQ(request.scheduling.inline_threshold, base::Duration(5000));
  EXPECT_EQ(request.scheduling.max_inline_depth, 7U);
  ASSERT_TRUE(reader.read(R"({"user_id": 1, "scheduling": {}})", request));
  EXPECT_FALSE(request.scheduling.any());
  const auto code_of = [&](std::string_view scheduling) {
    const auto read =
        reader.read(R"({"user_id": 1, "scheduling": )" + std::string(scheduling) + "}", request);
    EXPECT_FALSE(read) << scheduling;
    return read ? RankErrorCode::kInternal : read.error().code;
  };
  EXPECT_EQ(code_of("true"), RankErrorCode::kWrongType);
  EXPECT_EQ(code_of(R"({"enable_inline_execution": 1})"), RankErrorCode::kWrongType);
  EXPECT_EQ(code_of(R"({"inline_threshold_ns": 1.5})"), RankErrorCode::kWrongType);
  EXPECT_EQ(code_of(R"({"inline_threshold_ns": -1})"), RankErrorCode::kBadValue);
  EXPECT_EQ(code_of(R"({"inline_threshold_ns": 3600000000001})"), RankErrorCode::kBadValue);
  EXPECT_EQ(code_of(R"({"max_inline_depth": -1})"), RankErrorCode::kBadValue);
  ASSERT_TRUE(reader.read(R"({"user_id": 1, "scheduling": {"max_inline_depth": 0}})", request));
  EXPECT_EQ(request.scheduling.max_inline_depth, 0U);
  EXPECT_EQ(code_of(R"({"inline_treshold_ns": 1})"), RankErrorCode::kUnknownField);
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
