#include "expr/syntax/type_checker.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/syntax/parser.h"
#include "expr/syntax/scope_fixture.h"

namespace millrace::expr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Checked {
  Tree tree;
  std::vector<NameUse> names;
  std::vector<Diagnostic> diagnostics;
};

Checked check(std::string_view text, std::optional<rows::ColumnType> expected = {}) {
  std::expected<Tree, Diagnostic> tree = parse(text, Limits{});
  EXPECT_TRUE(tree) << text;
  Checked out;
  if (!tree) return out;
  out.tree = *std::move(tree);
  out.names = check_types(out.tree, sample_scope(), expected, out.diagnostics);
  return out;
}

// Gives `int`, or `int?` if the result may be null, or the messages.
std::string type_of(std::string_view text, std::optional<rows::ColumnType> expected = {}) {
  const Checked checked = check(text, expected);
  std::string problems;
  for (const Diagnostic& diagnostic : checked.diagnostics) {
    if (diagnostic.severity != Severity::kError) continue;
    problems += diagnostic.message;
    if (!diagnostic.hint.empty()) problems += " (" + diagnostic.hint + ")";
    problems += "; ";
  }
  if (!problems.empty()) return problems;
  const Node& root = checked.tree.root();
  return std::string(to_string(root.type)) + (root.nullable ? "?" : "");
}

TEST(TypeCheckerTest, TypesLiteralsAndNames) {
  EXPECT_EQ(type_of("1"), "int");
  EXPECT_EQ(type_of("1.5"), "float");
  EXPECT_EQ(type_of("true"), "bool");
  EXPECT_EQ(type_of("'a'"), "string");
  EXPECT_EQ(type_of("id"), "int");
  EXPECT_EQ(type_of("a"), "int?");
  EXPECT_EQ(type_of("$weight"), "float?");
  EXPECT_EQ(type_of("$req.country"), "string?");
  EXPECT_EQ(type_of("viewer.age"), "int?");
}

TEST(TypeCheckerTest, TypesArithmetic) {
  EXPECT_EQ(type_of("id + 1"), "int");
  EXPECT_EQ(type_of("id + 1.0"), "float");
  EXPECT_EQ(type_of("id / 2"), "float?");
  EXPECT_EQ(type_of("id % 2"), "int?");
  EXPECT_EQ(type_of("id % 2.0"), "float?");
  EXPECT_EQ(type_of("-id"), "int");
  EXPECT_EQ(type_of("id * x"), "float?");
  EXPECT_EQ(type_of("null + 1"), "int?");
  EXPECT_EQ(type_of("null + null"), "int?");
  EXPECT_EQ(type_of("null / null"), "float?");
}

TEST(TypeCheckerTest, TypesPredicatesAsNeverNull) {
  EXPECT_EQ(type_of("a > x"), "bool");
  EXPECT_EQ(type_of("name < 'b'"), "bool");
  EXPECT_EQ(type_of("on == true"), "bool");
  EXPECT_EQ(type_of("a is null"), "bool");
  EXPECT_EQ(type_of("a in [1, 2.5, null]"), "bool");
  EXPECT_EQ(type_of("name not in ['a', $label]"), "bool");
  EXPECT_EQ(type_of("name ~ /a/"), "bool");
  EXPECT_EQ(type_of("contains(name, 'a') and starts_with(name, $label)"), "bool");
  EXPECT_EQ(type_of("not a > 1"), "bool");
  EXPECT_EQ(type_of("on and a > 1"), "bool?");
  EXPECT_EQ(type_of("not on"), "bool?");
}

TEST(TypeCheckerTest, TypesFunctions) {
  EXPECT_EQ(type_of("coalesce(a, 0)"), "int");
  EXPECT_EQ(type_of("coalesce(a, b)"), "int?");
  EXPECT_EQ(type_of("coalesce(a, 0.5)"), "float");
  EXPECT_EQ(type_of("coalesce(null, name)"), "string?");
  EXPECT_EQ(type_of("if(on, 1, 2.0)"), "float");
  EXPECT_EQ(type_of("if(on, 'a', null)"), "string?");
  EXPECT_EQ(type_of("min(1, 2, id)"), "int");
  EXPECT_EQ(type_of("max(1, x)"), "float?");
  EXPECT_EQ(type_of("clamp(id, 0, 9)"), "int");
  EXPECT_EQ(type_of("abs(id)"), "int");
  EXPECT_EQ(type_of("floor(id)"), "int");
  EXPECT_EQ(type_of("ceil(x)"), "float?");
  EXPECT_EQ(type_of("round(1.5)"), "float");
  EXPECT_EQ(type_of("sqrt(id)"), "float");
  EXPECT_EQ(type_of("pow(id, 2)"), "float");
  EXPECT_EQ(type_of("sigmoid(exp(log(x)))"), "float?");
  EXPECT_EQ(type_of("length(name)"), "int?");
  EXPECT_EQ(type_of("lower('A')"), "string");
  EXPECT_EQ(type_of("hash(name)"), "int?");
  EXPECT_EQ(type_of("hash(true)"), "int");
  EXPECT_EQ(type_of("now()"), "int");
}

TEST(TypeCheckerTest, RefusesWrongOperands) {
  EXPECT_EQ(type_of("name + 1"), "Operator `+` needs numbers, not string; ");
  EXPECT_EQ(type_of("-on"),
            "Operator `-` needs numbers, not bool (turn a bool into a number by `if(b, 1, 0)`); ");
  EXPECT_EQ(type_of("name == 1"), "Operator `==` cannot compare string with int; ");
  EXPECT_EQ(type_of("on < true"), "Bools have no order (compare them by `==` or `!=`); ");
  EXPECT_EQ(type_of("a and on"),
            "Operator `and` needs bools, not int (compare the number, as `x != 0`); ");
  EXPECT_EQ(type_of("not name"), "Operator `not` needs bools, not string; ");
  EXPECT_EQ(type_of("a in [1, 'x']"), "Operator `in` cannot compare int with string; ");
  EXPECT_EQ(type_of("a ~ /x/"), "Operator `~` needs a string, not int; ");
}

TEST(TypeCheckerTest, RefusesWrongArguments) {
  EXPECT_EQ(type_of("if(on, 1)"),
            "Wrong number of arguments for `if`: 2 (write `if(condition, a, b)`); ");
  EXPECT_EQ(type_of("now(1)"), "Wrong number of arguments for `now`: 1 (write `now()`); ");
  EXPECT_EQ(type_of("min(1)"), "Wrong number of arguments for `min`: 1 (write `min(a, b, ...)`); ");
  EXPECT_EQ(type_of("abs(name)"), "Function `abs` needs numbers, not string (write `abs(x)`); ");
  EXPECT_EQ(type_of("length(a)"),
            "Function `length` needs strings, not int (write `length(text)`); ");
  EXPECT_EQ(type_of("contains(name, 1)"),
            "Function `contains` needs strings, not int (write `contains(text, part)`); ");
  EXPECT_EQ(type_of("if(a, 1, 2)"),
            "Function `if` needs a bool condition, not int (write `if(condition, a, b)`); ");
  EXPECT_EQ(type_of("coalesce(a, 'x')"),
            "Function `coalesce` needs values of one type: int and string; ");
}

TEST(TypeCheckerTest, SuggestsNames) {
  EXPECT_EQ(type_of("scroe"), "Unknown key: `scroe` (did you mean `score`?); ");
  EXPECT_EQ(type_of("$weigth"), "Unknown param: `$weigth` (did you mean `$weight`?); ");
  EXPECT_EQ(type_of("$req.contry"),
            "Unknown request field: `$req.contry` (did you mean `$req.country`?); ");
  EXPECT_EQ(type_of("viewer.agee"),
            "Unknown viewer field: `viewer.agee` (did you mean `viewer.age`?); ");
  EXPECT_EQ(type_of("weight"), "Unknown key: `weight` (did you mean `$weight`?); ");
  EXPECT_EQ(type_of("$score"), "Unknown param: `$score` (did you mean `score`?); ");
  EXPECT_EQ(type_of("length"), "Unknown key: `length` (`length` is a function: `length(text)`); ");
  EXPECT_EQ(type_of("zzzzzzzz"), "Unknown key: `zzzzzzzz`; ");
  EXPECT_EQ(type_of("colaesce(a, 1)"),
            "Unknown function: `colaesce` (did you mean `coalesce(a, b, ...)`?); ");
}

TEST(TypeCheckerTest, ReportsAllProblemsButEachNameOnce) {
  const Checked checked = check("scroe + $weigth + scroe + lenght(name) + abs(name)");
  EXPECT_THAT(checked.diagnostics, SizeIs(4));
  EXPECT_EQ(checked.diagnostics[0].span.offset, 0U);
  EXPECT_EQ(checked.diagnostics[1].span.offset, 8U);
}

TEST(TypeCheckerTest, BoundsTheNumberOfReports) {
  std::string text = "null == null";
  for (int i = 0; i < 2'000; ++i) text += " or null == null or k" + std::to_string(i) + " > 0";
  const Checked checked = check(text);
  EXPECT_LE(checked.diagnostics.size(), 60U);
  EXPECT_EQ(checked.tree.root().type, Type::kInvalid);
  EXPECT_TRUE(std::ranges::any_of(checked.diagnostics, [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::kError;
  }));
}

TEST(TypeCheckerTest, ListsEachNameOnceInOrderOfUse) {
  const Checked checked = check("score + $weight * score + $req.page + score + viewer.age");
  std::vector<std::string> names;
  for (const NameUse& use : checked.names) names.push_back(use.name);
  EXPECT_THAT(names, ElementsAre("score", "weight", "page", "age"));
}

TEST(TypeCheckerTest, WarnsOfComparisonWithNull) {
  const Checked checked = check("a == null");
  ASSERT_THAT(checked.diagnostics, SizeIs(1));
  EXPECT_EQ(checked.diagnostics[0].severity, Severity::kWarning);
  EXPECT_EQ(checked.tree.root().type, Type::kBool);
  EXPECT_THAT(check("a is null").diagnostics, IsEmpty());
}

TEST(TypeCheckerTest, FitsTheWholeToTheExpectedType) {
  using enum rows::ColumnType;
  EXPECT_EQ(type_of("id", kFloat64), "int");
  EXPECT_EQ(type_of("null", kString), "null?");
  EXPECT_EQ(type_of("x", kInt64), "The expression is float, but int is needed; ");
  EXPECT_EQ(type_of("x", kBool),
            "The expression is float, but bool is needed (a condition compares something, as `x > "
            "0`); ");
  EXPECT_EQ(type_of("null"), "The expression is always null, so it has no type; ");
  EXPECT_EQ(type_of("coalesce(null, null)", kInt64), "Function `coalesce` is always null here; ");
  EXPECT_EQ(type_of("if(on, null, null)", kInt64), "Function `if` is always null here; ");
}

}  // namespace
}  // namespace millrace::expr
