#include "expr/evaluate.h"

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
#include "rows/select.h"

namespace millrace::expr {
namespace {

using rows::ColumnType;
using rows::testing::Cell;
using rows::testing::kNull;
using rows::testing::Table;
using testing::Answer;
using testing::Bench;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kIntMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kIntMax = std::numeric_limits<std::int64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// One row: `n`, `x`, `t`, `s` hold null; `five`, `half`, `yes`, `no`, `word` hold values.
Bench one_row() {
  return Bench(Table{.names = {"id", "n", "x", "t", "s", "five", "half", "yes", "no", "word"},
                     .types = {ColumnType::kInt64,
                               ColumnType::kInt64,
                               ColumnType::kFloat64,
                               ColumnType::kBool,
                               ColumnType::kString,
                               ColumnType::kInt64,
                               ColumnType::kFloat64,
                               ColumnType::kBool,
                               ColumnType::kBool,
                               ColumnType::kString},
                     .rows = {{1, kNull, kNull, kNull, kNull, 5, 0.5, true, false, "Word"}}});
}

struct Case {
  std::string_view text;
  Cell expected;
};

void check_all(Bench& bench, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    EXPECT_THAT(bench.cells(c.text), ElementsAre(c.expected)) << c.text;
  }
}

TEST(NullTableTest, ArithmeticWithNullIsNull) {
  Bench bench = one_row();
  check_all(bench,
            {{"n + 1", kNull},
             {"1 - n", kNull},
             {"n * five", kNull},
             {"n / 2", kNull},
             {"5 / n", kNull},
             {"n % 2", kNull},
             {"-n", kNull},
             {"x + half", kNull},
             {"-x", kNull},
             {"n + null", kNull},
             {"five + null", kNull},
             {"null * 0", kNull}});
}

TEST(NullTableTest, ComparisonWithNullIsFalse) {
  Bench bench = one_row();
  check_all(bench,
            {{"n == 5", false},
             {"n != 5", false},
             {"n < 5", false},
             {"n <= 5", false},
             {"n > 5", false},
             {"n >= 5", false},
             {"5 < n", false},
             {"n == n", false},
             {"n != n", false},
             {"x >= half", false},
             {"t == true", false},
             {"t != true", false},
             {"s == 'a'", false},
             {"s != 'a'", false},
             {"s < word", false},
             {"s != s", false},
             {"five == null", false},
             {"five != null", false},
             {"null == null", false}});
}

TEST(NullTableTest, NegatedComparisonWithNullIsTrue) {
  Bench bench = one_row();
  check_all(bench,
            {{"not (n > 5)", true},
             {"not (s == 'a')", true},
             {"n not in [1, 2]", true},
             {"not (s ~ /a/)", true},
             {"not contains(s, 'a')", true}});
}

TEST(NullTableTest, IsNullSeesNull) {
  Bench bench = one_row();
  check_all(bench,
            {{"n is null", true},
             {"five is null", false},
             {"n is not null", false},
             {"five is not null", true},
             {"s is null", true},
             {"t is null", true},
             {"null is null", true},
             {"n + 1 is null", true},
             {"five / 0 is null", true},
             {"(n > 5) is null", false}});
}

TEST(NullTableTest, CoalesceTakesTheFirstValue) {
  Bench bench = one_row();
  check_all(bench,
            {{"coalesce(n, 7)", 7},
             {"coalesce(five, 7)", 5},
             {"coalesce(n, null, five, 7)", 5},
             {"coalesce(n, n)", kNull},
             {"coalesce(x, five)", 5.0},
             {"coalesce(null, half)", 0.5},
             {"coalesce(t, true)", true},
             {"coalesce(s, word)", "Word"},
             {"coalesce(s, 'none')", "none"},
             {"coalesce(s, s)", kNull},
             {"coalesce(word, s)", "Word"},
             {"coalesce('a', s)", "a"},
             {"coalesce(five)", 5}});
}

TEST(NullTableTest, LogicOverNullIsThreeValued) {
  Bench bench = one_row();
  check_all(bench,
            {{"t and yes", kNull},
             {"yes and t", kNull},
             {"t and no", false},
             {"no and t", false},
             {"t and t", kNull},
             {"t or yes", true},
             {"yes or t", true},
             {"t or no", kNull},
             {"no or t", kNull},
             {"t or t", kNull},
             {"not t", kNull},
             {"null and false", false},
             {"null or true", true},
             {"yes and null", kNull},
             {"no and null", false},
             {"not null", kNull},
             {"n > 5 or yes", true},
             {"n > 5 and yes", false}});
}

TEST(NullTableTest, FilterKeepsOnlyTrue) {
  Bench bench = one_row();
  EXPECT_THAT(bench.kept("yes"), ElementsAre(1));
  EXPECT_THAT(bench.kept("no"), ElementsAre());
  EXPECT_THAT(bench.kept("t"), ElementsAre());
  EXPECT_THAT(bench.kept("not t"), ElementsAre());
  EXPECT_THAT(bench.kept("not (n > 5)"), ElementsAre(1));
  EXPECT_THAT(bench.kept("n > 5"), ElementsAre());
  EXPECT_THAT(bench.kept("n is null"), ElementsAre(1));
  EXPECT_THAT(bench.kept("null"), ElementsAre());
  EXPECT_THAT(bench.kept("true"), ElementsAre(1));
}

TEST(NullTableTest, PredicatesOnNullAreFalse) {
  Bench bench = one_row();
  check_all(bench,
            {{"n in [1, 2]", false},
             {"n in [null]", false},
             {"five in [null, 5]", true},
             {"five in [null]", false},
             {"s ~ /.*/", false},
             {"contains(s, '')", false},
             {"contains(word, s)", false},
             {"starts_with(s, '')", false},
             {"starts_with(word, null)", false}});
}

TEST(NullTableTest, FunctionsOfNullAreNull) {
  Bench bench = one_row();
  for (const std::string_view text : {"abs(n)",
                                      "floor(x)",
                                      "ceil(x)",
                                      "round(x)",
                                      "sqrt(x)",
                                      "exp(x)",
                                      "log(x)",
                                      "pow(x, 2)",
                                      "pow(2, x)",
                                      "sigmoid(x)",
                                      "min(n, 1)",
                                      "min(1, n)",
                                      "max(half, x)",
                                      "clamp(n, 0, 9)",
                                      "clamp(five, n, 9)",
                                      "clamp(five, 0, n)",
                                      "length(s)",
                                      "lower(s)",
                                      "hash(n)",
                                      "hash(x)",
                                      "hash(t)",
                                      "hash(s)",
                                      "hash(null)",
                                      "abs(null)",
                                      "length(null)"}) {
    EXPECT_THAT(bench.cells(text), ElementsAre(kNull)) << text;
  }
}

TEST(NullTableTest, IfTakesTheElseBranchUnlessTrue) {
  Bench bench = one_row();
  check_all(bench,
            {{"if(yes, 1, 2)", 1},
             {"if(no, 1, 2)", 2},
             {"if(t, 1, 2)", 2},
             {"if(null, 1, 2)", 2},
             {"if(yes, n, 2)", kNull},
             {"if(no, n, 2)", 2},
             {"if(yes, five, half)", 5.0},
             {"if(yes, word, s)", "Word"},
             {"if(no, word, s)", kNull},
             {"if(five > 3, 'big', 'small')", "big"},
             {"if(yes, yes, no)", true}});
}

TEST(ArithmeticTest, IntsStayIntsAndDivisionIsFloat) {
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

TEST(ArithmeticTest, DivisionByZeroIsNull) {
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

TEST(OverflowTest, IsARowErrorAndNull) {
  Table table{.names = {"id", "n"},
              .types = {ColumnType::kInt64, ColumnType::kInt64},
              .rows = {{1, 1}, {2, kIntMax}, {3, kIntMin}, {4, kNull}, {5, kIntMax}}};
  Bench bench(std::move(table));
  struct Expected {
    std::string_view text;
    std::vector<Cell> cells;
    std::size_t first;
    std::string_view symbol;
    std::uint32_t offset;
  };
  const std::vector<Expected> all{
      {"n + 1", {2, kNull, kIntMin + 1, kNull, kNull}, 1, "`+`", 2},
      {"n - 2", {-1, kIntMax - 2, kNull, kNull, kIntMax - 2}, 2, "`-`", 2},
      {"2 * n", {2, kNull, kNull, kNull, kNull}, 1, "`*`", 2},
      {"-n", {-1, -kIntMax, kNull, kNull, -kIntMax}, 2, "`-`", 0},
      {"abs(n)", {1, kIntMax, kNull, kNull, kIntMax}, 2, "`abs`", 0},
      {"1 + n * n", {2, kNull, kNull, kNull, kNull}, 1, "`*`", 6},
      {"coalesce(n * n, 0)", {1, kNull, kNull, 0, kNull}, 1, "`*`", 11},
      {"if(n * n > 0, 1, 2)", {1, kNull, kNull, 2, kNull}, 1, "`*`", 5},
  };
  for (const Expected& expected : all) {
    const Answer answer = bench.run(expected.text);
    EXPECT_EQ(answer.cells, expected.cells) << expected.text << answer.problem;
    ASSERT_TRUE(answer.errors.first) << expected.text;
    EXPECT_EQ(answer.errors.first->position, expected.first) << expected.text;
    EXPECT_EQ(answer.errors.first->id, static_cast<std::int64_t>(expected.first) + 1);
    EXPECT_THAT(answer.errors.first->message, HasSubstr(expected.symbol));
    EXPECT_EQ(answer.errors.first->span.offset, expected.offset) << expected.text;
  }
  EXPECT_EQ(bench.run("2 * n").errors.count, 3U);
}

TEST(OverflowTest, ModuloOfTheSmallestIntByMinusOneIsZero) {
  Bench bench = one_row();
  check_all(bench, {{"-9223372036854775808 % -1", 0}, {"-9223372036854775808 % (five - 6)", 0}});
}

TEST(OverflowTest, UntakenBranchesRaiseNothing) {
  Table table{.names = {"id", "n", "on"},
              .types = {ColumnType::kInt64, ColumnType::kInt64, ColumnType::kBool},
              .rows = {{1, kIntMax, false}, {2, 3, true}}};
  Bench bench(std::move(table));
  for (const std::string_view text : {"if(on, n * n, 0)",
                                      "if(not on, 0, n * n)",
                                      "coalesce(n, n * n)",
                                      "on and n * n > 0",
                                      "not on or n * n > 0",
                                      "n in [n, n * n]"}) {
    EXPECT_EQ(bench.run(text).errors.count, 0U) << text;
  }
  for (const std::string_view text : {"if(on, 0, n * n)",
                                      "on or n * n > 0",
                                      "n * n > 0 and on",
                                      "n in [1, n * n]",
                                      "(n * n) is null",
                                      "not (n * n > 0)"}) {
    EXPECT_EQ(bench.run(text).errors.count, 1U) << text;
  }
}

TEST(OverflowTest, OfAConstantConcernsEveryRow) {
  Table table{.names = {"id", "n"},
              .types = {ColumnType::kInt64, ColumnType::kInt64},
              .rows = {{1, 1}, {2, 2}}};
  Bench bench(std::move(table));
  for (const std::string_view text : {"9223372036854775807 + 1",
                                      "n + (9223372036854775807 + 1)",
                                      "if(n > 0, 9223372036854775807 + 1, n)"}) {
    const Answer answer = bench.run(text);
    EXPECT_THAT(answer.cells, ElementsAre(kNull, kNull)) << text;
    EXPECT_EQ(answer.errors.count, 2U) << text;
    EXPECT_EQ(answer.errors.first->position, 0U) << text;
    EXPECT_THAT(answer.errors.first->message, HasSubstr("`+`")) << text;
  }
  EXPECT_EQ(bench.run("if(n > 0, n, 9223372036854775807 + 1)").errors.count, 0U);
}

TEST(OnRowErrorTest, DropsOrFails) {
  Table table{.names = {"id", "n"},
              .types = {ColumnType::kInt64, ColumnType::kInt64},
              .rows = {{1, 1}, {2, kIntMax}, {3, 3}}};
  Bench bench(std::move(table));
  const Answer dropped = bench.run("n * 2", {.on_row_error = OnRowError::kDrop});
  EXPECT_THAT(dropped.cells, ElementsAre(2, 6));
  EXPECT_EQ(dropped.errors.count, 1U);
  const Answer failed = bench.run("n *\n 2 * n", {.on_row_error = OnRowError::kFail});
  EXPECT_EQ(failed.problem,
            "node_failed: Integer overflow in `*`: row 1, id 2\n"
            " 1 | n *\n"
            "   |   ^\n"
            " hint: set `on_row_error` to `null` or `drop` to go on (at 1:3)");
  EXPECT_THAT(bench.run("1", {.on_row_error = OnRowError::kFail}).cells, ElementsAre(1, 1, 1));
  EXPECT_THAT(bench.run("9223372036854775807 + 1", {.on_row_error = OnRowError::kDrop}).cells,
              ElementsAre());
}

TEST(OnRowErrorTest, PredicatesKeepNoRowWithAnError) {
  Table table{.names = {"id", "n"},
              .types = {ColumnType::kInt64, ColumnType::kInt64},
              .rows = {{1, 1}, {2, kIntMax}, {3, 3}}};
  Bench bench(std::move(table));
  EXPECT_THAT(bench.kept("n * 2 > 0"), ElementsAre(1, 3));
  EXPECT_THAT(bench.kept("not (n * 2 > 0)"), ElementsAre());
  EXPECT_THAT(bench.kept("(n * 2) is null"), ElementsAre());
  const base::Result<BoundExpr> bound = bench.bind("n * 2 > 0");
  const base::Result<Filtered> failed = evaluate_predicate(
      *bound, bench.rows(), bench.scratch(), {.on_row_error = OnRowError::kFail});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), base::ErrorCode::kNodeFailed);
}

TEST(FunctionTest, NumbersOfInts) {
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

TEST(FunctionTest, NumbersOfFloats) {
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

TEST(FunctionTest, FloatFunctionsAreTheLibraryOnes) {
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

TEST(FunctionTest, Strings) {
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
TEST(FunctionTest, HashNeverChanges) {
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

TEST(FunctionTest, NowIsTheTimeOfTheRequest) {
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

TEST(BindTest, ValuesOfTheRequestTakeEffect) {
  Bench bench = one_row();
  bench.with(NameSource::kParam, "weight", ColumnType::kFloat64, 1.5)
      .with(NameSource::kParam, "count", ColumnType::kInt64, 2)
      .with(NameSource::kParam, "absent", ColumnType::kFloat64, kNull)
      .with(NameSource::kParam, "whole", ColumnType::kFloat64, 3)
      .with(NameSource::kRequest, "word", ColumnType::kString, "Word")
      .with(NameSource::kViewer, "adult", ColumnType::kBool, true);
  check_all(bench,
            {{"five * $weight", 7.5},
             {"five * coalesce($absent, 0.5)", 2.5},
             {"five * $absent", kNull},
             {"$weight * $count", 3.0},
             {"$whole / 2", 1.5},
             {"word == $req.word", true},
             {"lower($req.word)", "word"},
             {"lower($req.word) == lower(word)", true},
             {"if(viewer.adult, word, s)", "Word"},
             {"if(viewer.adult and five > 3, five, $count)", 5},
             {"if(five > 9, word, $req.word)", "Word"},
             {"coalesce(s, $req.word)", "Word"},
             {"yes and viewer.adult", true},
             {"five in [$count, 5]", true},
             {"$req.word ~ /^W/", true},
             {"hash($req.word) == hash(word)", true},
             {"length($req.word) + five", 9},
             {"$absent is null", true}});
}

TEST(BindTest, RefusesValuesThatDoNotFit) {
  MapScope scope;
  scope.add(NameSource::kParam, "n", ColumnType::kInt64, false);
  const CompiledExprRef compiled = compile("$n + 1", scope).value();
  const auto problem = [&](std::vector<rows::Value> params) {
    const base::Result<BoundExpr> bound = BoundExpr::bind(compiled, {.params = params});
    return bound ? std::string() : bound.error().to_string();
  };
  EXPECT_EQ(problem({std::int64_t{1}}), "");
  EXPECT_THAT(problem({}), HasSubstr("no value for a name (at $n)"));
  EXPECT_THAT(problem({1.5}), HasSubstr("another type than its name: int is needed (at $n)"));
  EXPECT_THAT(problem({std::monostate{}}), HasSubstr("must not be null (at $n)"));
  EXPECT_THAT(problem({std::string_view("x")}), HasSubstr("another type"));
  EXPECT_THAT(problem({true}), HasSubstr("another type"));
}

TEST(EvaluateTest, RefusesRowsThatLackAKey) {
  Bench bench = one_row();
  MapScope other;
  other.add(NameSource::kKey, "fife", ColumnType::kInt64);
  other.add(NameSource::kKey, "half", ColumnType::kInt64);
  const auto problem = [&](std::string_view text) {
    const BoundExpr bound = BoundExpr::bind(compile(text, other).value(), {}).value();
    const base::Result<Evaluated> result = evaluate(bound, bench.rows(), bench.scratch());
    return result ? std::string() : result.error().to_string();
  };
  EXPECT_THAT(problem("fife"), HasSubstr("five"));
  EXPECT_THAT(problem("half"), HasSubstr("another type than its key: float instead of int"));
}

// Four columns over many rows, some null, for selections and chunk borders.
Table many_rows(std::size_t count) {
  Table table{
      .names = {"id", "n", "x", "s"},
      .types = {ColumnType::kInt64, ColumnType::kInt64, ColumnType::kFloat64, ColumnType::kString},
      .rows = {}};
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::int64_t>(i);
    table.rows.push_back({number,
                          i % 7 == 0 ? kNull : Cell(number * 2),
                          static_cast<double>(i) / 4,
                          "v" + std::to_string(i % 10)});
  }
  return table;
}

TEST(EvaluateTest, CrossesChunkBorders) {
  for (const std::size_t count :
       {0UL, 1UL, kChunkRows - 1, kChunkRows, kChunkRows + 1, 3 * kChunkRows}) {
    Bench bench(many_rows(count));
    const Answer answer = bench.run("n * 2 + 1");
    ASSERT_EQ(answer.cells.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(answer.cells[i], i % 7 == 0 ? kNull : Cell(static_cast<std::int64_t>(4 * i + 1)))
          << i;
    }
    EXPECT_EQ(bench.kept("x >= 100.0").size(), count > 400 ? count - 400 : 0);
    EXPECT_EQ(bench.kept("n >= 0").size(), count - (count + 6) / 7);
  }
}

TEST(EvaluateTest, NullsThatBeginLateKeepEarlierRowsValid) {
  Table table = many_rows(2 * kChunkRows);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i][1] = i + 1 == table.rows.size() ? kNull : Cell(static_cast<std::int64_t>(i));
  }
  Bench bench(std::move(table));
  const std::vector<Cell> cells = bench.cells("n + 1");
  EXPECT_EQ(cells.front(), Cell(1));
  EXPECT_EQ(cells[kChunkRows], Cell(static_cast<std::int64_t>(kChunkRows) + 1));
  EXPECT_EQ(cells.back(), kNull);
}

TEST(EvaluateTest, WritesOnlySelectedRows) {
  Bench bench(many_rows(2000));
  const rows::RowSet odd =
      evaluate_predicate(*bench.bind("id % 2 == 1"), bench.rows(), bench.scratch())->rows;
  EXPECT_EQ(odd.size(), 1000U);
  EXPECT_FALSE(odd.is_dense());
  bench.with_rows(odd);
  for (const std::string_view text :
       {"id * 10", "x * 2.0", "id > 5", "lower(s)", "s", "n", "7", "'c'"}) {
    const Answer answer = bench.run(text);
    ASSERT_EQ(answer.cells.size(), 1000U) << text;
  }
  EXPECT_EQ(bench.cells("id * 10")[3], Cell(70));
  EXPECT_EQ(bench.cells("s")[1], Cell("v3"));
  EXPECT_EQ(bench.cells("if(id > 5, s, 'low')")[0], Cell("low"));
  EXPECT_EQ(bench.kept("x < 1.0"), (std::vector<std::int64_t>{1, 3}));
  bench.with_rows(odd.window(10, 5));
  EXPECT_THAT(bench.cells("id"), ElementsAre(21, 23, 25, 27, 29));
}

TEST(EvaluateTest, ReadsWindowsOfABatch) {
  Bench bench(many_rows(2000));
  bench.with_rows(bench.rows().window(700, 600));
  const std::vector<Cell> cells = bench.cells("id + 1");
  ASSERT_EQ(cells.size(), 600U);
  EXPECT_EQ(cells.front(), Cell(701));
  EXPECT_EQ(cells.back(), Cell(1300));
  EXPECT_THAT(bench.kept("id < 702"), ElementsAre(700, 701));
}

TEST(EvaluateTest, PredicateThatKeepsAllGivesTheSameSet) {
  Bench bench(many_rows(100));
  const base::Result<Filtered> all =
      evaluate_predicate(*bench.bind("x >= 0.0"), bench.rows(), bench.scratch());
  EXPECT_TRUE(all->rows.is_dense());
  EXPECT_EQ(all->rows.size(), 100U);
}

TEST(EvaluateTest, PutsTheColumnIntoTheBatch) {
  Bench bench(many_rows(3));
  const base::Result<WithKey> result =
      evaluate_to_key(*bench.bind("x * 2.0"), bench.rows(), "score", bench.scratch());
  ASSERT_TRUE(result);
  EXPECT_EQ(rows::testing::to_table(result->rows).column("score"),
            (std::vector<Cell>{0.0, 0.5, 1.0}));
  EXPECT_EQ(result->rows.batch()->find_column("x"), bench.rows().batch()->find_column("x"));
  const base::Result<WithKey> refused =
      evaluate_to_key(*bench.bind("id"), bench.rows(), "id", bench.scratch());
  EXPECT_FALSE(refused);
}

TEST(EvaluateTest, StringResultsShareOrMakeADictionary) {
  Bench bench(many_rows(1000));
  const base::Result<Evaluated> same = evaluate(*bench.bind("s"), bench.rows(), bench.scratch());
  EXPECT_EQ(same->column->dictionary(), bench.rows().batch()->find_column("s")->dictionary());
  const base::Result<Evaluated> made =
      evaluate(*bench.bind("if(id % 2 == 0, s, 'odd')"), bench.rows(), bench.scratch());
  EXPECT_EQ(made->column->dictionary()->size(), 11);
}

TEST(EvaluateTest, AnIntResultServesAsFloat) {
  Bench bench = one_row();
  const BoundExpr bound = bench.bind("five + 1", {.result = ColumnType::kFloat64}).value();
  const base::Result<Evaluated> result = evaluate(bound, bench.rows(), bench.scratch());
  EXPECT_EQ(rows::testing::to_cell(result->column->value_at(0)), Cell(6.0));
}

}  // namespace
}  // namespace millrace::expr
