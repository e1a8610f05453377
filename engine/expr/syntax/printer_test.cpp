#include "expr/syntax/printer.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "expr/syntax/parser.h"

namespace millrace::expr {
namespace {

std::string canonical(std::string_view text) {
  const std::expected<Tree, Diagnostic> tree = parse(text, Limits{});
  if (!tree) return render(text, tree.error());
  std::string printed = to_text(*tree);
  const std::expected<Tree, Diagnostic> again = parse(printed, Limits{});
  if (!again) return "does not parse again: " + printed;
  if (!same_tree(*tree, *again)) return "another tree: " + printed;
  return printed;
}

TEST(PrinterTest, ART5_KeepsOnlyNeededParentheses) {
  EXPECT_EQ(canonical("((a)+(b*c))"), "a + b * c");
  EXPECT_EQ(canonical("(a+b)*c"), "(a + b) * c");
  EXPECT_EQ(canonical("a-(b-c)"), "a - (b - c)");
  EXPECT_EQ(canonical("(a-b)-c"), "a - b - c");
  EXPECT_EQ(canonical("a or (b or c)"), "a or (b or c)");
  EXPECT_EQ(canonical("not (a and b)"), "not (a and b)");
  EXPECT_EQ(canonical("not (a > b)"), "not a > b");
  EXPECT_EQ(canonical("(a > b) == (c > d)"), "(a > b) == (c > d)");
  EXPECT_EQ(canonical("(a is null) is null"), "(a is null) is null");
  EXPECT_EQ(canonical("(not a) == b"), "(not a) == b");
  EXPECT_EQ(canonical("not not a"), "not not a");
}

TEST(PrinterTest, ART5_WritesTestsTheShortWay) {
  EXPECT_EQ(canonical("not (a in [1,2])"), "a not in [1, 2]");
  EXPECT_EQ(canonical("not a is null"), "a is not null");
  EXPECT_EQ(canonical("(a not in []) == b"), "(a not in []) == b");
  EXPECT_EQ(canonical("(a or b) in [c or d]"), "(a or b) in [c or d]");
  EXPECT_EQ(canonical("a ~ /x\\/y\\\\\\d/im"), "a ~ /x\\/y\\\\\\d/im");
  EXPECT_EQ(canonical("not (a ~ /x/)"), "not a ~ /x/");
}

TEST(PrinterTest, ART5_KeepsNegationApartFromNegativeLiterals) {
  EXPECT_EQ(canonical("-5"), "-5");
  EXPECT_EQ(canonical("-(5)"), "-(5)");
  EXPECT_EQ(canonical("--5"), "-(-5)");
  EXPECT_EQ(canonical("-a"), "-a");
  EXPECT_EQ(canonical("--a"), "-(-a)");
  EXPECT_EQ(canonical("-a * b"), "-a * b");
  EXPECT_EQ(canonical("-(a * b)"), "-(a * b)");
  EXPECT_EQ(canonical("a - -5"), "a - -5");
  EXPECT_EQ(canonical("-0.0"), "-0.0");
  EXPECT_EQ(canonical("-9223372036854775808"), "-9223372036854775808");
}

TEST(PrinterTest, ART5_WritesLiteralsSoThatTheyReadBack) {
  EXPECT_EQ(canonical("1.0"), "1.0");
  EXPECT_EQ(canonical("1e22"), "1e+22");
  EXPECT_EQ(canonical("0.1"), "0.1");
  EXPECT_EQ(canonical("5e-324"), "5e-324");
  EXPECT_EQ(canonical("'a\"\\n\\u0001\\\\'"), R"("a\"\n\u0001\\")");
  EXPECT_EQ(canonical("true and false or null"), "true and false or null");
}

TEST(PrinterTest, ART5_WritesNames) {
  EXPECT_EQ(canonical("$w+$req.p+viewer.c"), "$w + $req.p + viewer.c");
  EXPECT_EQ(canonical("`a b`+`and`+`plain`+`now`"), "`a b` + `and` + plain + `now`");
  EXPECT_EQ(canonical("viewer.`in`"), "viewer.`in`");
  EXPECT_EQ(canonical("now"), "now()");
  EXPECT_EQ(canonical("min(a,b , -c)"), "min(a, b, -c)");
}

}  // namespace
}  // namespace millrace::expr
