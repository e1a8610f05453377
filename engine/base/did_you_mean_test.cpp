#include "base/did_you_mean.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

TEST(DidYouMeanTest, ASuggestionIsAHintOfItsOwn) {
  const std::vector<std::string_view> names{"viewer", "follow"};
  EXPECT_EQ(suggestion("veiwer", names), "did you mean 'viewer'?");
  EXPECT_EQ(suggestion("xyz", names), "");
}

TEST(DidYouMeanTest, GivesTheFirstOfTheNearestAmongManyThatAreAlmostAsNear) {
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) texts.push_back("node_" + std::to_string(i));
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  for (const std::string name : {"ndoe_7", "node42", "nod_321", "nodes_13", "NODE_499", "x_1"}) {
    std::optional<std::string_view> first_nearest;
    std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const std::string_view candidate : names) {
      if (edit_distance(name, candidate) >= least) continue;
      least = edit_distance(name, candidate);
      first_nearest = candidate;
    }
    EXPECT_EQ(find_nearest(name, names), first_nearest) << name;
  }
}

}  // namespace
}  // namespace millrace::base
