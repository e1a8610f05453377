#include "expr/syntax/function_table.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace millrace::expr {
namespace {

TEST(FunctionTableTest, EXP2_HoldsEveryFunctionOfTheLanguageOnce) {
  std::set<std::string_view> names;
  for (const FunctionSpec& spec : functions()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_EQ(&spec_of(spec.function), &spec);
    EXPECT_EQ(find_function(spec.name), &spec);
    EXPECT_TRUE(spec.usage.starts_with(spec.name)) << spec.usage;
    EXPECT_LE(spec.argument_count_min, spec.argument_count_max);
  }
  const std::set<std::string_view> expected{
      "coalesce", "min",   "max",      "abs",         "floor", "ceil", "round",
      "sqrt",     "exp",   "log",      "pow",         "clamp", "if",   "sigmoid",
      "length",   "lower", "contains", "starts_with", "hash",  "now"};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(find_function("scroe"), nullptr);
}

}  // namespace
}  // namespace millrace::expr
