#include "expr/bound_expr.h"

#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/syntax/scope_fixture.h"

namespace millrace::expr {
namespace {

using rows::ColumnType;
using ::testing::HasSubstr;

double root_float(const BoundExpr& bound) {
  double value = 0;
  std::memcpy(&value, bound.values()[bound.compiled().program().root].data, sizeof(value));
  return value;
}

TEST(BoundExprTest, RefusesValuesThatDoNotFit) {
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

TEST(BoundExprTest, ComputesWhatDependsOnNoKey) {
  MapScope scope;
  scope.add(NameSource::kParam, "w", ColumnType::kFloat64);
  const CompiledExprRef compiled = compile("($w + 1) * 2 - exp(0)", scope).value();
  EXPECT_TRUE(compiled->program().body.empty());
  const std::vector<rows::Value> params{1.5};
  EXPECT_EQ(root_float(BoundExpr::bind(compiled, {.params = params}).value()), 4.0);
}

TEST(BoundExprTest, BindsAnewWithoutCompiling) {
  MapScope scope;
  scope.add(NameSource::kParam, "w", ColumnType::kFloat64);
  const CompiledExprRef compiled = compile("$w * 2.0", scope).value();
  for (const double weight : {0.5, 2.0, -1.0}) {
    const std::vector<rows::Value> params{weight};
    EXPECT_EQ(root_float(BoundExpr::bind(compiled, {.params = params}).value()), 2 * weight);
  }
}

TEST(BoundExprTest, SaysWhichValuesAreNullOrHaveErrors) {
  MapScope scope;
  scope.add(NameSource::kParam, "n", ColumnType::kInt64);
  const CompiledExprRef compiled = compile("$n * 9223372036854775807", scope).value();
  const auto root = [&](rows::Value value) {
    const std::vector<rows::Value> params{value};
    const BoundExpr bound = BoundExpr::bind(compiled, {.params = params}).value();
    const Vector& vector = bound.values()[compiled->program().root];
    return std::pair(vector.valid != nullptr, vector.error != nullptr);
  };
  EXPECT_EQ(root(std::int64_t{1}), std::pair(false, false));
  EXPECT_EQ(root(std::monostate{}), std::pair(true, false));
  EXPECT_EQ(root(std::int64_t{2}), std::pair(false, true));
}

TEST(BoundExprTest, OwnsItsTexts) {
  MapScope scope;
  scope.add(NameSource::kParam, "s", ColumnType::kString);
  const CompiledExprRef compiled =
      compile("lower($s) == 'a text that is no short one'", scope).value();
  std::string text = "A TEXT that is no short one";
  const std::vector<rows::Value> params{std::string_view(text)};
  BoundExpr bound = BoundExpr::bind(compiled, {.params = params}).value();
  text.assign(text.size(), 'x');
  const BoundExpr moved = std::move(bound);
  EXPECT_EQ(*static_cast<const std::uint8_t*>(moved.values()[compiled->program().root].data), 1);
  const CompiledExprRef plain = compile("$s", scope).value();
  const BoundExpr kept = BoundExpr::bind(plain, {.params = params}).value();
  text.assign(text.size(), 'y');
  EXPECT_EQ(*static_cast<const std::string_view*>(kept.values()[plain->program().root].data),
            std::string(text.size(), 'x'));
}

}  // namespace
}  // namespace millrace::expr
