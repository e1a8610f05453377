#include "rank/request_fields.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "rank/rank_error.h"
#include "rank/request_fixture.h"
#include "rows/value.h"

namespace millrace::rank {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RequestFieldsTest, REQ12_CandidatesAreIdsAndObjectsWithKeys) {
  const Request request = good_request(R"({"user_id": 1, "candidates":
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

TEST(RequestFieldsTest, REQ12_NoCandidatesAreNotTheSameAsNoneGiven) {
  EXPECT_TRUE(good_request(R"({"user_id": 1, "candidates": []})").candidates);
  EXPECT_FALSE(good_request(R"({"user_id": 1})").candidates);
}

TEST(RequestFieldsTest, REQ12_WhatIsNoCandidateIsRefusedAtItsPlace) {
  const auto code = [](const std::string& candidates) {
    return refused_request(R"({"user_id": 1, "candidates": )" + candidates + "}").code;
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
  EXPECT_EQ(refused_request("{\"user_id\": 1,\n \"candidates\": [1, {\"score\": 2}]}").message,
            "An object of 'candidates' needs 'id' (line 2, column 20)");
}

TEST(RequestFieldsTest, REQ12_TenThousandCandidatesAreTheMost) {
  std::string ids = "1";
  for (int i = 1; i < 10'000; ++i) ids += ",1";
  EXPECT_EQ(good_request(R"({"user_id": 1, "candidates": [)" + ids + "]}").candidates->ids().size(),
            10'000U);
  const RankError error = refused_request(R"({"user_id": 1, "candidates": [)" + ids + ",1]}");
  EXPECT_EQ(error.code, RankErrorCode::kTooLarge);
  EXPECT_THAT(error.message, HasSubstr("10001 ids and objects; at most 10000"));
}

TEST(RequestFieldsTest, REQ1_AnUnknownFieldIsNamedWithItsPlaceAndALikelyOne) {
  const RankError error = refused_request("{\"user_id\": 1,\n \"limits\": 3}");
  EXPECT_EQ(error.code, RankErrorCode::kUnknownField);
  EXPECT_THAT(error.message, HasSubstr("'limits'"));
  EXPECT_THAT(error.message, HasSubstr("'limit'"));
  EXPECT_THAT(error.message, HasSubstr("line 2"));
}

TEST(RequestFieldsTest, REQ10_EveryFieldHasItsType) {
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
    EXPECT_EQ(refused_request("{\"user_id\": 1, " + field + "}").code, RankErrorCode::kWrongType)
        << field;
  }
  EXPECT_EQ(refused_request(R"({"user_id": null})").code, RankErrorCode::kWrongType);
  EXPECT_EQ(refused_request(R"({"user_id": 1.0})").code, RankErrorCode::kWrongType);
}

TEST(RequestFieldsTest, REQ10_EveryFieldHasItsRange) {
  for (const std::string field : {R"("request_id": "")",
                                  R"("plan": "")",
                                  R"("deadline_ms": 0)",
                                  R"("deadline_ms": -1)",
                                  R"("deadline_ms": 3600001)",
                                  R"("limit": -1)",
                                  R"("limit": 9223372036854775808)",
                                  R"("exclude": ["a"])",
                                  R"("output_keys": ["id", "id"])",
                                  R"("priority": "urgent")",
                                  R"("params": {"a": 9223372036854775808})"}) {
    EXPECT_EQ(refused_request("{\"user_id\": 1, " + field + "}").code, RankErrorCode::kBadValue)
        << field;
  }
}

TEST(RequestFieldsTest, REQ10_SizesAreBounded) {
  EXPECT_EQ(refused_request(R"({"user_id": 1, "exclude": [1, 2, 3]})", {.exclude_max = 2}).code,
            RankErrorCode::kTooLarge);
  EXPECT_EQ(
      refused_request(R"({"user_id": 1, "explain": {"ids": [1, 2]}})", {.explain_ids_max = 1}).code,
      RankErrorCode::kTooLarge);
  EXPECT_EQ(
      refused_request(R"({"user_id": 1, "output_keys": ["a", "b"]})", {.output_keys_max = 1}).code,
      RankErrorCode::kTooLarge);
  EXPECT_EQ(refused_request("{\"user_id\": 1, \"params\": " + std::string(10'000, '[')).code,
            RankErrorCode::kTooLarge);
  EXPECT_EQ(
      refused_request("{\"user_id\": 1, \"plan\": \"" + std::string(10 << 20, 'a') + "\"}").code,
      RankErrorCode::kTooLarge);
}

TEST(RequestFieldsTest, REQ11_SchedulingSetsHowARunIsInlined) {
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

}  // namespace
}  // namespace millrace::rank
