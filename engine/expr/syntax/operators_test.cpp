// The results of operators and functions.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/evaluate_fixture.h"
#include "rows/rows_fixture.h"

namespace millrace::expr {
namespace {

using rows::ColumnType;
using rows::testing::kNull;
using rows::testing::Table;
using testing::Bench;
using testing::check_all;
using testing::one_row;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ArithmeticTest, EXP5_IntsStayIntsAndDivisionIsFloat) {
  Bench bench = one_row();
  check_all(bench,
            {{"five + 2", 7},
             {"five - 7", -2},
             {"five * five", 25},
             {"five / 2", 2.5},
             {"4 / 2", 2.0},
             {"five % 3", 2},
             {"-five % 3", -2},
             {"five % -3", 2},
             {"five + half", 5.5},
             {"five % 2.5", 0.0},
             {"-7.5 % 2", -1.5},
             {"-five", -5},
             {"2 + 3 * 4", 14},
             {"(2 + 3) * 4", 20}});
}

TEST(ArithmeticTest, EXP5_DivisionByZeroIsNull) {
  Bench bench = one_row();
  check_all(bench,
            {{"five / 0", kNull},
             {"five / 0.0", kNull},
             {"half / -0.0", kNull},
             {"0 / 0", kNull},
             {"five % 0", kNull},
             {"half % 0", kNull},
             {"five / (five - 5)", kNull},
             {"five % (five - 5)", kNull},
             {"coalesce(five / 0, 1.5)", 1.5}});
}

TEST(ArithmeticTest, FloatsFollowIeee) {
  Bench bench = one_row();
  check_all(bench,
            {{"1e308 * 10", kInfinity},
             {"-1e308 * 10", -kInfinity},
             {"1e308 * 10 - 1e308 * 10", kNan},
             {"sqrt(-1)", kNan},
             {"log(0)", -kInfinity},
             {"log(-1)", kNan},
             {"(sqrt(-1) == sqrt(-1))", false},
             {"(sqrt(-1) != sqrt(-1))", true},
             {"sqrt(-1) is null", false},
             {"min(half, sqrt(-1))", kNan},
             {"max(sqrt(-1), half)", kNan},
             {"0.1 + 0.2", 0.1 + 0.2}});
}

TEST(ArithmeticTest, ProductsAndSumsAreRoundedTwice) {
  // With one rounding the difference would be -2^-104, not zero.
  Table table{.names = {"id", "a", "b", "c"},
              .types = {ColumnType::kInt64,
                        ColumnType::kFloat64,
                        ColumnType::kFloat64,
                        ColumnType::kFloat64},
              .rows = {{1, 1 + 0x1p-52, 1 - 0x1p-52, -1.0}}};
  Bench bench(std::move(table));
  check_all(bench, {{"a * b + c", 0.0}, {"c + a * b", 0.0}, {"-c - a * b", 0.0}});
}

TEST(FunctionTest, EXP2_NumbersOfInts) {
  Bench bench = one_row();
  check_all(bench,
            {{"min(five, 3, 9)", 3},
             {"max(five, 3, 9)", 9},
             {"abs(-five)", 5},
             {"floor(five)", 5},
             {"ceil(five)", 5},
             {"round(five)", 5},
             {"clamp(five, 0, 3)", 3},
             {"clamp(five, 7, 9)", 7},
             {"clamp(five, 0, 9)", 5},
             {"clamp(five, 9, 0)", 0}});
}

TEST(FunctionTest, EXP2_NumbersOfFloats) {
  Bench bench = one_row();
  check_all(bench,
            {{"min(half, 3)", 0.5},
             {"max(half, 3)", 3.0},
             {"abs(-half)", 0.5},
             {"abs(-0.0)", 0.0},
             {"floor(-half)", -1.0},
             {"ceil(half)", 1.0},
             {"round(half)", 1.0},
             {"round(-half)", -1.0},
             {"round(2.5)", 3.0},
             {"round(0.49999999999999994)", 0.0}});
}

TEST(FunctionTest, EXP2_FloatFunctionsAreTheLibraryOnes) {
  Bench bench = one_row();
  check_all(bench,
            {{"sqrt(five)", std::sqrt(5.0)},
             {"exp(half)", std::exp(0.5)},
             {"log(half)", std::log(0.5)},
             {"pow(five, half)", std::pow(5.0, 0.5)},
             {"pow(2, five)", 32.0},
             {"pow(five, 2)", 25.0},
             {"sigmoid(half)", 1.0 / (1.0 + std::exp(-0.5))},
             {"sigmoid(-1000)", 0.0},
             {"clamp(half, 0, 0.25)", 0.25}});
}

TEST(FunctionTest, EXP2_Strings) {
  Bench bench = one_row();
  check_all(bench,
            {{"length(word)", 4},
             {"length('')", 0},
             {"length('h\\u00e9\\u20ac')", 3},
             {"lower(word)", "word"},
             {"lower('\\u00c9A')",
              "\xC3\x89"
              "a"},
             {"lower(word) == 'word'", true},
             {"contains(word, 'or')", true},
             {"contains(word, '')", true},
             {"contains(word, 'OR')", false},
             {"contains('a Word b', word)", true},
             {"contains(word, word)", true},
             {"starts_with(word, 'Wo')", true},
             {"starts_with(word, 'or')", false},
             {"starts_with('Wordy', word)", true},
             {"word == 'Word'", true},
             {"'Word' == word", true},
             {"word != 'Word'", false},
             {"word < 'Wore'", true},
             {"word >= 'Wore'", false},
             {"word <= word", true},
             {"'a' < 'b'", true},
             {"word ~ /^w.*d$/i", true},
             {"word ~ /^w/", false},
             {"'abc' ~ /b/", true},
             {"word in ['a', 'Word']", true},
             {"word not in ['a', 'Word']", false},
             {"'a' in ['a', word]", true},
             {"word in []", false}});
}

// These values are part of the language: data in stores may depend on them.
TEST(FunctionTest, EXP6_HashNeverChanges) {
  Bench bench = one_row();
  check_all(bench,
            {{"hash(0)", 8147104208329303767},
             {"hash(1)", 5225608189600411232},
             {"hash(five)", 3567305580077179309},
             {"hash(0.0) == hash(-0.0)", true},
             {"hash(half)", 8803213626626041654},
             {"hash('')", 7043838727467204504},
             {"hash(word)", 1830701510731943017},
             {"hash('Word') == hash(word)", true},
             {"hash(true) == hash(1)", true}});
}

TEST(FunctionTest, EXP6_NowIsTheTimeOfTheRequest) {
  Bench bench = one_row();
  bench.at_time(1'700'000'000'123);
  check_all(bench,
            {{"now()", 1'700'000'000'123},
             {"now", 1'700'000'000'123},
             {"now() - five", 1'700'000'000'118}});
  EXPECT_TRUE(compile("now() > 0", bench.scope()).value()->uses_now());
  EXPECT_FALSE(compile("1 > 0", bench.scope()).value()->uses_now());
}

TEST(InTest, ComparesAcrossNumbers) {
  Bench bench = one_row();
  check_all(bench,
            {{"five in [1, 5]", true},
             {"five in [1, 5.0]", true},
             {"half in [0.5]", true},
             {"half in [1, 2]", false},
             {"five in [1, five]", true},
             {"five in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]", true},
             {"five in [21, 22, 23, 24, 25, 26, 27, 28, 29, 20]", false},
             {"yes in [true]", true},
             {"yes in []", false},
             {"sqrt(-1) in [1.5, sqrt(-1)]", false}});
}
}  // namespace
}  // namespace millrace::expr
