#include "rank/given_values.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_fixture.h"

namespace millrace::rank::testing {
namespace {

using ::testing::HasSubstr;

RankError refused_key(std::string_view key, const rows::Value& value) {
  const auto registry = plan::read_registry(
      {.keys = "[keys.likes]\ntype = \"int\"\n[keys.rank]\ntype = \"int\"\nnullable = false\n"
               "[keys.old]\ntype = \"int\"\nlifecycle = \"blocked\"\n",
       .params = "",
       .endpoints = ""},
      plan::Environment::kDev);
  MR_CHECK(registry.has_value(), registry ? "" : registry.error().to_text());
  tasks::RequestCandidates candidates;
  candidates.add_row(5);
  candidates.add_row(6);
  candidates.set(key, value);
  const auto checked = check_candidates(candidates, *registry);
  return checked ? RankError{.code = RankErrorCode::kInternal, .message = "ok"} : checked.error();
}

TEST(GivenValuesTest, REQ12_KeysOfCandidatesAreRegisteredOnesThatMayBeGiven) {
  EXPECT_EQ(refused_key("likes", std::int64_t{1}).message, "ok");
  const RankError unknown = refused_key("liks", std::int64_t{1});
  EXPECT_EQ(unknown.code, RankErrorCode::kUnknownField);
  EXPECT_THAT(unknown.message, HasSubstr("'likes'"));
  EXPECT_EQ(refused_key("parent_id", std::int64_t{1}).code, RankErrorCode::kNotAllowed);
  EXPECT_EQ(refused_key("source", std::string_view("x")).code, RankErrorCode::kNotAllowed);
  EXPECT_EQ(refused_key("old", std::int64_t{1}).code, RankErrorCode::kNotAllowed);
  EXPECT_LT(refused_key(std::string(5000, 'x'), std::int64_t{1}).message.size(), 200U);
}

TEST(GivenValuesTest, REQ12_ValuesOfCandidatesAreOfTheTypesOfTheirKeys) {
  EXPECT_EQ(refused_key("likes", 1.5).message,
            "'candidates[1].likes' must be int or null, as the key is registered");
  EXPECT_EQ(refused_key("likes", true).code, RankErrorCode::kWrongType);
  EXPECT_EQ(refused_key("likes", std::string_view("1")).code, RankErrorCode::kWrongType);
  EXPECT_EQ(refused_key("likes", rows::Value()).message, "ok");
  EXPECT_EQ(refused_key("rank", rows::Value()).message,
            "'candidates[1].rank' must be int, as the key is registered");
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
