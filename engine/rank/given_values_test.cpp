#include "rank/given_values.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "rank/rank_fixture.h"
#include "rank/request.h"

namespace millrace::rank::testing {
namespace {

using ::testing::HasSubstr;

/// What is said about a request whose second candidate has this member.
RankError refused_key(std::string_view member) {
  const auto registry = plan::read_registry(
      {.keys = "[keys.likes]\ntype = \"int\"\n[keys.rank]\ntype = \"int\"\nnullable = false\n"
               "[keys.old]\ntype = \"int\"\nlifecycle = \"blocked\"\n",
       .params = "",
       .endpoints = ""},
      plan::Environment::kDev);
  MR_CHECK(registry.has_value(), registry ? "" : registry.error().to_text());
  RequestReader reader;
  Request request;
  const auto read = reader.read(
      base::format(R"({{"user_id": 1, "candidates": [5, {{"id": 6, {}}}]}})", member), request);
  MR_CHECK(read.has_value());
  const auto checked = check_candidates(request, *registry);
  return checked ? RankError{.code = RankErrorCode::kInternal, .message = "ok"} : checked.error();
}

TEST(GivenValuesTest, REQ12_KeysOfCandidatesAreRegisteredOnesThatMayBeGiven) {
  EXPECT_EQ(refused_key(R"("likes": 1)").message, "ok");
  const RankError unknown = refused_key(R"("liks": 1)");
  EXPECT_EQ(unknown.code, RankErrorCode::kUnknownField);
  EXPECT_THAT(unknown.message, HasSubstr("'likes'"));
  EXPECT_EQ(refused_key(R"("parent_id": 1)").code, RankErrorCode::kNotAllowed);
  EXPECT_EQ(refused_key(R"("source": "x")").code, RankErrorCode::kNotAllowed);
  EXPECT_EQ(refused_key(R"("old": 1)").code, RankErrorCode::kNotAllowed);
  EXPECT_LT(refused_key(base::format("\"{}\": 1", std::string(5000, 'x'))).message.size(), 200U);
}

TEST(GivenValuesTest, REQ12_ValuesOfCandidatesAreOfTheTypesOfTheirKeys) {
  EXPECT_EQ(refused_key(R"("likes": 1.5)").message,
            "'candidates[1].likes' must be int or null, as the key is registered "
            "(line 1, column 53)");
  EXPECT_EQ(refused_key(R"("likes": true)").code, RankErrorCode::kWrongType);
  EXPECT_EQ(refused_key(R"("likes": "1")").code, RankErrorCode::kWrongType);
  EXPECT_EQ(refused_key(R"("likes": null)").message, "ok");
  EXPECT_EQ(refused_key(R"("rank": null)").message,
            "'candidates[1].rank' must be int, as the key is registered (line 1, column 52)");
}

TEST(GivenValuesTest, AnIntIsAFloatAndNothingElseIsConverted) {
  EXPECT_TRUE(fits(std::int64_t{1}, rows::ColumnType::kFloat64));
  EXPECT_FALSE(fits(1.0, rows::ColumnType::kInt64));
  EXPECT_FALSE(fits(true, rows::ColumnType::kInt64));
  EXPECT_FALSE(fits(std::int64_t{1}, rows::ColumnType::kBool));
  EXPECT_TRUE(fits(rows::Value(), rows::ColumnType::kString));
}

}  // namespace
}  // namespace millrace::rank::testing
