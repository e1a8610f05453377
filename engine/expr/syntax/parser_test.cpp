#include "expr/syntax/parser.h"

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/syntax/printer.h"

namespace millrace::expr {
namespace {

using ::testing::HasSubstr;

// Writes every operator in prefix form with parentheses, so that structure can be seen.
std::string shape(const Tree& tree, NodeIndex index) {
  const Node& node = tree.node(index);
  std::string head(symbol(node.op));
  if (node.op == Op::kInt) head = std::to_string(node.integer);
  if (node.op == Op::kFloat) head = std::to_string(node.number);
  if (node.op == Op::kBool) head = node.boolean ? "true" : "false";
  if (node.op == Op::kNull) head = "null";
  if (node.op == Op::kString) head = "'" + tree.text(node.text_index) + "'";
  if (node.op == Op::kKey || node.op == Op::kCall) head = tree.text(node.text_index);
  if (node.op == Op::kParam) head = "$" + tree.text(node.text_index);
  if (node.op == Op::kRequest) head = "$req." + tree.text(node.text_index);
  if (node.op == Op::kViewer) head = "viewer." + tree.text(node.text_index);
  if (node.op == Op::kNegate) head = "neg";
  if (node.op == Op::kMatch) {
    head = "~/" + tree.text(node.text_index) + "/" + tree.text(node.flags_index);
  }
  if (node.child_count == 0) return head;
  std::string out = "(" + head;
  for (const NodeIndex child : tree.children(node)) out += " " + shape(tree, child);
  return out + ")";
}

std::string shape(std::string_view text) {
  const std::expected<Tree, Diagnostic> tree = parse(text, Limits{});
  if (!tree) return render(text, tree.error());
  return shape(*tree, tree->root_index());
}

Diagnostic parse_problem(std::string_view text, const Limits& limits = {}) {
  std::expected<Tree, Diagnostic> tree = parse(text, limits);
  if (tree) {
    ADD_FAILURE() << "no problem in " << text.substr(0, 100);
    return {};
  }
  return tree.error();
}

TEST(ParserTest, EXP1_BindsByThePrecedenceTable) {
  EXPECT_EQ(shape("a or b and not c == d + e * -f"),
            "(or a (and b (not (== c (+ d (* e (neg f)))))))");
  EXPECT_EQ(shape("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(shape("a / b * c % d"), "(% (* (/ a b) c) d)");
  EXPECT_EQ(shape("a and b and c or d or e"), "(or (or (and (and a b) c) d) e)");
  EXPECT_EQ(shape("(a or b) and c"), "(and (or a b) c)");
  EXPECT_EQ(shape("not a and b"), "(and (not a) b)");
  EXPECT_EQ(shape("not a < b"), "(not (< a b))");
  EXPECT_EQ(shape("-a * b"), "(* (neg a) b)");
}

TEST(ParserTest, ReadsTests) {
  EXPECT_EQ(shape("a in [1, 2]"), "(in a 1 2)");
  EXPECT_EQ(shape("a not in [1]"), "(not (in a 1))");
  EXPECT_EQ(shape("a in []"), "(in a)");
  EXPECT_EQ(shape("a is null"), "(is null a)");
  EXPECT_EQ(shape("a is not null"), "(not (is null a))");
  EXPECT_EQ(shape("a + 1 is null"), "(is null (+ a 1))");
  EXPECT_EQ(shape(R"(a ~ /x\/y/i and b)"), "(and (~/x/y/i a) b)");
  EXPECT_EQ(shape("a = 1"), "(== a 1)");
  EXPECT_EQ(shape("a in [b + 1, $p]"), "(in a (+ b 1) $p)");
}

TEST(ParserTest, EXP3_ReadsNamesAndCalls) {
  EXPECT_EQ(shape("$w + $req.w + viewer.w + w"), "(+ (+ (+ $w $req.w) viewer.w) w)");
  EXPECT_EQ(shape("viewer.`odd name`"), "viewer.odd name");
  EXPECT_EQ(shape("viewer"), "viewer");
  EXPECT_EQ(shape("min(a, b, 3)"), "(min a b 3)");
  EXPECT_EQ(shape("if(a, b, c)"), "(if a b c)");
  EXPECT_EQ(shape("min + `and`"), "(+ min and)");
  const std::expected<Tree, Diagnostic> bare = parse("now", {});
  EXPECT_EQ(bare->root().function, Function::kNow);
  EXPECT_TRUE(same_tree(*bare, *parse("now()", {})));
  EXPECT_EQ(parse("`now`", {})->root().op, Op::kKey);
}

TEST(ParserTest, ReadsLiteralsExactly) {
  EXPECT_EQ(parse("9223372036854775807", {})->root().integer,
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse("-9223372036854775808", {})->root().integer,
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse("- 5", {})->root().op, Op::kInt);
  EXPECT_EQ(shape("-(5)"), "(neg 5)");
  EXPECT_EQ(shape("--5"), "(neg -5)");
  EXPECT_EQ(shape("a -5"), "(- a 5)");
  EXPECT_THAT(parse_problem("9223372036854775808").message, HasSubstr("out of range"));
  EXPECT_THAT(parse_problem("1 - 9223372036854775808").message, HasSubstr("out of range"));
}

TEST(ParserTest, SaysWhatItExpected) {
  EXPECT_EQ(parse_problem("").message, "The expression is empty");
  EXPECT_EQ(parse_problem("a +").message, "Expected a value, found the end");
  EXPECT_EQ(parse_problem("a + * b").message, "Expected a value, found `*`");
  EXPECT_EQ(parse_problem("(a").message, "Expected `)`, found the end");
  EXPECT_EQ(parse_problem("a b").message, "Expected the end, found `b`");
  EXPECT_EQ(parse_problem("min(a b)").message, "Expected `,` or `)`, found `b`");
  EXPECT_EQ(parse_problem("min(a,)").message, "Expected a value, found `)`");
  EXPECT_EQ(parse_problem("a in 5").message, "Expected `[` after `in`, found `5`");
  EXPECT_EQ(parse_problem("a in [1 2]").message, "Expected `,` or `]`, found `2`");
  EXPECT_EQ(parse_problem("a not b").message, "Expected `in` after `not`, found `b`");
  EXPECT_EQ(parse_problem("a is 5").message, "Expected `null` after `is`, found `5`");
  EXPECT_EQ(parse_problem("a is not 5").message, "Expected `null` after `is not`, found `5`");
  EXPECT_EQ(parse_problem("a ~ 5").message, "A regex must follow `~`");
  EXPECT_EQ(parse_problem("viewer.5").message, "Expected the end, found `.5`");
  EXPECT_EQ(parse_problem("viewer.").message, "Expected a field after `viewer.`, found the end");
  EXPECT_THAT(parse_problem("a.b").message, HasSubstr("Only `viewer`"));
  EXPECT_THAT(parse_problem("a < b < c").message, HasSubstr("do not chain"));
  EXPECT_THAT(parse_problem("a is null is null").message, HasSubstr("do not chain"));
}

TEST(ParserTest, BoundsNesting) {
  for (const std::string_view open : {"(", "-", "not ", "abs(", "a in ["}) {
    std::string text;
    for (int i = 0; i < 10'000; ++i) text += open;
    EXPECT_THAT(parse_problem(text).message, HasSubstr("nests too deep")) << open;
  }
  const std::string deepest = std::string(200, '(') + "a" + std::string(200, ')');
  EXPECT_EQ(shape(deepest), "a");
  EXPECT_THAT(parse_problem("(" + deepest + ")").message, HasSubstr("nests too deep"));
}

TEST(ParserTest, BoundsLengthSizeListsAndRegexes) {
  EXPECT_THAT(parse_problem(std::string(70'000, ' ')).message, HasSubstr("too long"));
  std::string chain = "a";
  for (int i = 0; i < 9'000; ++i) chain += "+a";
  EXPECT_THAT(parse_problem(chain).message, HasSubstr("too large"));
  std::string list = "a in [1";
  for (int i = 0; i < 10'000; ++i) list += ",1";
  EXPECT_THAT(parse_problem(list + "]").message, HasSubstr("list is too long"));
  EXPECT_THAT(parse_problem("a ~ /" + std::string(5'000, 'x') + "/").message,
              HasSubstr("regex is too long"));
}

TEST(ParserTest, ChainsOfOperatorsDoNotNest) {
  std::string chain = "a";
  for (int i = 0; i < 8'000; ++i) chain += "+a";
  const std::expected<Tree, Diagnostic> tree = parse(chain, {});
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->nodes().size(), 16'001U);
  EXPECT_EQ(to_text(*tree).size(), 1 + 8'000 * std::string_view(" + a").size());
}

}  // namespace
}  // namespace millrace::expr
