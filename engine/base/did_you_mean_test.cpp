#include "base/did_you_mean.h"

#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"score", "country", "age", "created_at"};

TEST(DidYouMeanTest, CountsEveryKindOfEditOnce) {
  EXPECT_EQ(edit_distance("score", "score"), 0U);
  EXPECT_EQ(edit_distance("scor", "score"), 1U);
  EXPECT_EQ(edit_distance("sscore", "score"), 1U);
  EXPECT_EQ(edit_distance("scere", "score"), 1U);
  EXPECT_EQ(edit_distance("scroe", "score"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
}

TEST(DidYouMeanTest, IgnoresCase) { EXPECT_EQ(edit_distance("createdAt", "CREATEDaT"), 0U); }

TEST(DidYouMeanTest, FindsASlip) {
  EXPECT_EQ(find_nearest("scroe", kNames), "score");
  EXPECT_EQ(find_nearest("Country", kNames), "country");
  EXPECT_EQ(find_nearest("createdat", kNames), "created_at");
}

TEST(DidYouMeanTest, StaysSilentWhenNothingIsNear) {
  EXPECT_FALSE(find_nearest("popularity", kNames));
  EXPECT_FALSE(find_nearest("x", kNames));
  EXPECT_FALSE(find_nearest("", kNames));
  EXPECT_EQ(did_you_mean("popularity", kNames), "");
}

TEST(DidYouMeanTest, RefusesToCompareHugeNames) {
  EXPECT_FALSE(find_nearest(std::string(1'000'000, 'a'), kNames));
}

TEST(DidYouMeanTest, TakesTheFirstOfEquallyNearNames) {
  constexpr std::array<std::string_view, 2> kTwins = {"scare", "score"};
  EXPECT_EQ(find_nearest("scxre", kTwins), "scare");
}

TEST(DidYouMeanTest, WritesAHint) {
  EXPECT_EQ(did_you_mean("scroe", kNames), "; did you mean 'score'?");
}

}  // namespace
}  // namespace millrace::base
