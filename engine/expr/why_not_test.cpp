#include "expr/why_not.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "expr/evaluate_fixture.h"

namespace millrace::expr::testing {
namespace {

WhyNot ask(Bench& bench, std::string_view text) {
  const CompiledExprRef compiled = compile(text, bench.scope()).value();
  return why_not(*compiled, bench.bindings(), bench.rows());
}

std::string why(Bench& bench, std::string_view text) { return ask(bench, text).text; }

TEST(WhyNotTest, NamesTheComparisonThatFailsWithItsValues) {
  Bench bench = one_row();
  bench.with(NameSource::kParam, "least", rows::ColumnType::kInt64, 9);
  EXPECT_EQ(why(bench, "half >= 0.75"), "half 0.5 is not >= 0.75");
  EXPECT_EQ(why(bench, "word == 'other'"), R"(word "Word" is not == "other")");
  EXPECT_EQ(why(bench, "five * 2 < $least"), "`five * 2` (10) is not < $least 9");
}

TEST(WhyNotTest, FloatsAreRoundedUnlessTheDifferenceIsTheReason) {
  Bench bench = one_row();
  EXPECT_EQ(why(bench, "half / 3 >= 0.75"), "`half / 3` (0.166667) is not >= 0.75");
  EXPECT_EQ(why(bench, "half - 0.4 - 0.07 >= 0.03"),
            "`half - 0.4 - 0.07` (0.02999999999999997) is not >= 0.03");
  EXPECT_EQ(why(bench, "half - 0.4 in [0.1]"),
            "`half - 0.4` (0.09999999999999998) is not in [0.1]");
}

TEST(WhyNotTest, NamesTheFirstConjunctThatIsFalse) {
  Bench bench = one_row();
  EXPECT_EQ(why(bench, "five > 1 and half > 0.9 and five > 100"), "half 0.5 is not > 0.9");
  EXPECT_EQ(why(bench, "yes and (five > 1 and no)"), "no is false");
}

TEST(WhyNotTest, NamesEveryAlternativeOfAnOr) {
  Bench bench = one_row();
  EXPECT_EQ(why(bench, "five > 7 or half > 0.9"), "five 5 is not > 7 and half 0.5 is not > 0.9");
  EXPECT_EQ(why(bench, "five > 7 or five > 8 or five > 9 or five > 10 or five > 11 or five > 12"),
            "five 5 is not > 7 and five 5 is not > 8 and five 5 is not > 9 and five 5 is not > 10 "
            "and 2 more");
}

TEST(WhyNotTest, SaysWhatHoldsUnderANot) {
  Bench bench = one_row();
  EXPECT_EQ(why(bench, "not (word == 'Word')"), R"(word "Word" is == "Word")");
  EXPECT_EQ(why(bench, "not (five > 7 or yes)"), "yes is true");
  EXPECT_EQ(why(bench, "not (five > 1 and yes)"), "five 5 is > 1 and yes is true");
  EXPECT_EQ(why(bench, "five not in [4, 5]"), "five 5 is in [4, 5]");
}

TEST(WhyNotTest, SaysWhenAValueIsMissing) {
  Bench bench = one_row();
  EXPECT_EQ(why(bench, "x > 1"), "x is null");
  EXPECT_EQ(why(bench, "five > n"), "n is null");
  EXPECT_EQ(why(bench, "x is not null"), "x is null");
  EXPECT_EQ(why(bench, "five is null"), "five is 5, not null");
  EXPECT_EQ(why(bench, "t"), "t is null");
  EXPECT_EQ(why(bench, "s in ['a']"), "s is null");
}

TEST(WhyNotTest, NamesListsPatternsAndCalls) {
  Bench bench = one_row();
  EXPECT_EQ(why(bench, "word in ['a', 'b']"), R"(word "Word" is not in ["a", "b"])");
  EXPECT_EQ(why(bench, "word ~ /^x/"), R"(word "Word" does not match /^x/)");
  EXPECT_EQ(why(bench, "starts_with(word, 'x')"), R"(`starts_with(word, "x")` is false)");
}

TEST(WhyNotTest, TellsAnErrorFromARefusal) {
  Bench bench = one_row();
  const WhyNot overflow = ask(bench, "five * 9223372036854775807 > 3");
  EXPECT_TRUE(overflow.is_error);
  EXPECT_EQ(overflow.text, "integer overflow in `*` of `five * 9223372036854775807 > 3`");
  EXPECT_TRUE(ask(bench, "five * 9223372036854775807").is_error);
  EXPECT_FALSE(ask(bench, "five > 7").is_error);
}

TEST(WhyNotTest, IsSilentAboutARowThatMeetsThePredicate) {
  Bench bench = one_row();
  EXPECT_EQ(why(bench, "five > 1"), "");
  EXPECT_EQ(why(bench, "five + 1"), "");
}

TEST(WhyNotTest, LongTextsAndDeepConditionsAreCut) {
  Bench bench = one_row();
  std::string list = "five in [100";
  for (int i = 0; i < 1000; ++i) list += ", 100";
  EXPECT_LT(why(bench, list + "]").size(), 300U);
  std::string deep = "no";
  for (int i = 0; i < 40; ++i) deep = "not (not (" + deep + "))";
  EXPECT_LT(why(bench, deep).size(), 500U);
}

TEST(WhyNotTest, ValuesAreWrittenShort) {
  EXPECT_EQ(value_text(0.1), "0.1");
  EXPECT_EQ(value_text(12.0), "12");
  EXPECT_EQ(value_text(true), "true");
  EXPECT_EQ(value_text(rows::Value()), "null");
  EXPECT_EQ(value_text(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  const std::string umlauts = "a" + std::string(100, '\0');
  EXPECT_LT(value_text(std::string_view(umlauts)).size(), 70U);
  std::string text = "a";
  for (int i = 0; i < 50; ++i) text += "ü";
  EXPECT_EQ(value_text(std::string_view(text)), "\"" + text.substr(0, 59) + "…\"");
}

}  // namespace
}  // namespace millrace::expr::testing
