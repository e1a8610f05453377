#include "expr/syntax/tree.h"

#include <gtest/gtest.h>

#include "expr/syntax/parser.h"

namespace millrace::expr {
namespace {

bool same(std::string_view left, std::string_view right) {
  return same_tree(*parse(left, Limits{}), *parse(right, Limits{}));
}

TEST(TreeTest, SameTreeIgnoresPositionsOnly) {
  EXPECT_TRUE(same("a+b", "( a )  +  b"));
  EXPECT_FALSE(same("a + b", "b + a"));
  EXPECT_FALSE(same("a + b", "a - b"));
  EXPECT_FALSE(same("a + 1", "a + 1.0"));
  EXPECT_FALSE(same("0.0", "-0.0"));
  EXPECT_FALSE(same("a ~ /x/", "a ~ /x/i"));
  EXPECT_FALSE(same("a ~ /x/", "a ~ /y/"));
  EXPECT_FALSE(same("$a", "a"));
  EXPECT_FALSE(same("true", "false"));
  EXPECT_FALSE(same("a + (b + c)", "(a + b) + c"));
  EXPECT_FALSE(same("a in [1]", "a in [1, 1]"));
}

TEST(TreeTest, APartIsATreeOfItsOwn) {
  const Tree tree = *parse("a + b > 3 and name ~ /x\\/y/i and f in [1, 2]", Limits{});
  std::vector<std::string> texts;
  for (NodeIndex index = 0; index <= tree.root_index(); ++index)
    texts.push_back(to_text(subtree(tree, index)));
  EXPECT_EQ(texts.back(), to_text(tree));
  EXPECT_EQ(std::ranges::count(texts, "a + b"), 1);
  EXPECT_EQ(std::ranges::count(texts, "a + b > 3"), 1);
  EXPECT_EQ(std::ranges::count(texts, "name ~ /x\\/y/i"), 1);
  EXPECT_EQ(std::ranges::count(texts, "f in [1, 2]"), 1);
}

TEST(TreeTest, TypesMapToColumnTypesAndBack) {
  using enum rows::ColumnType;
  for (const rows::ColumnType type : {kInt64, kFloat64, kBool, kString}) {
    EXPECT_EQ(to_column_type(to_type(type)), type);
    EXPECT_EQ(to_string(to_type(type)), rows::to_string(type));
  }
}

}  // namespace
}  // namespace millrace::expr
