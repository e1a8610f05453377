// The null table of the language, row by row.

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

using rows::testing::kNull;
using testing::Bench;
using testing::check_all;
using ::testing::ElementsAre;
using testing::one_row;

TEST(NullTableTest, EXP4_ArithmeticWithNullIsNull) {
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

TEST(NullTableTest, EXP4_ComparisonWithNullIsFalse) {
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

TEST(NullTableTest, EXP4_NegatedComparisonWithNullIsTrue) {
  Bench bench = one_row();
  check_all(bench,
            {{"not (n > 5)", true},
             {"not (s == 'a')", true},
             {"n not in [1, 2]", true},
             {"not (s ~ /a/)", true},
             {"not contains(s, 'a')", true}});
}

TEST(NullTableTest, EXP4_IsNullSeesNull) {
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

TEST(NullTableTest, EXP4_CoalesceTakesTheFirstValue) {
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

TEST(NullTableTest, EXP4_LogicOverNullIsThreeValued) {
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

TEST(NullTableTest, EXP4_FilterKeepsOnlyTrue) {
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

TEST(NullTableTest, EXP4_PredicatesOnNullAreFalse) {
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

TEST(NullTableTest, EXP4_FunctionsOfNullAreNull) {
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

TEST(NullTableTest, EXP4_IfTakesTheElseBranchUnlessTrue) {
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
}  // namespace
}  // namespace millrace::expr
