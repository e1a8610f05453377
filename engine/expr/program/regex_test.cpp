#include "expr/program/regex.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::expr {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMemoryBytesMax = 1024 * 1024;

bool matches(std::string_view pattern, std::string_view flags, std::string_view text) {
  const std::expected<Regex, std::string> regex = Regex::compile(pattern, flags, kMemoryBytesMax);
  EXPECT_TRUE(regex) << pattern;
  return regex && regex->matches(text);
}

std::string regex_problem(std::string_view pattern, std::string_view flags = "") {
  const std::expected<Regex, std::string> regex = Regex::compile(pattern, flags, kMemoryBytesMax);
  return regex ? "" : regex.error();
}

TEST(RegexTest, MatchesAnywhereUnlessAnchored) {
  EXPECT_TRUE(matches("ews", "", "news"));
  EXPECT_FALSE(matches("^ews", "", "news"));
  EXPECT_TRUE(matches("", "", ""));
  EXPECT_TRUE(matches("a.c", "", std::string_view("a\0c", 3)));
}

TEST(RegexTest, ObeysFlags) {
  EXPECT_FALSE(matches("NEWS", "", "news"));
  EXPECT_TRUE(matches("NEWS", "i", "news"));
  EXPECT_FALSE(matches("^b", "", "a\nb"));
  EXPECT_TRUE(matches("^b", "m", "a\nb"));
  EXPECT_FALSE(matches("a.b", "", "a\nb"));
  EXPECT_TRUE(matches("a.b", "s", "a\nb"));
  EXPECT_TRUE(matches("^A.B$", "ism", "a\nb"));
}

TEST(RegexTest, SaysWhatIsWrong) {
  EXPECT_THAT(regex_problem("a(b"), HasSubstr("missing )"));
  EXPECT_THAT(regex_problem("a", "x"), HasSubstr("Unknown regex flag: `x`"));
  EXPECT_THAT(regex_problem("a", "ii"), HasSubstr("is given twice"));
  EXPECT_THAT(regex_problem("(?=a)"), HasSubstr("does not compile"));
}

TEST(RegexTest, BoundsTheWorkOfOneMatch) {
  const auto plain = Regex::compile("news", "", 1 << 20);
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->is_too_long(std::string(500'000, 'x')));
  EXPECT_TRUE(plain->is_too_long(std::string(5'000'000, 'x')));
  const auto hard = Regex::compile(".{800}b", "", 1 << 20);
  ASSERT_TRUE(hard);
  EXPECT_FALSE(hard->is_too_long(std::string(1'000, 'x')));
  EXPECT_TRUE(hard->is_too_long(std::string(200'000, 'x')));
}

TEST(RegexTest, BoundsMemory) {
  EXPECT_THAT(regex_problem("((a{100}){100}){100}"), HasSubstr("does not compile"));
}

}  // namespace
}  // namespace millrace::expr
