#include "expr/compiled_expr.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/syntax/scope_fixture.h"

namespace millrace::expr {
namespace {

using rows::ColumnType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(CompiledExprTest, TellsWhatTheExpressionIsAndReads) {
  const CompiledExprRef compiled =
      compile("coalesce( x,$weight ) * viewer.age", sample_scope()).value();
  EXPECT_EQ(compiled->type(), ColumnType::kFloat64);
  EXPECT_TRUE(compiled->nullable());
  EXPECT_EQ(compiled->canonical_text(), "coalesce(x, $weight) * viewer.age");
  std::vector<std::string> names;
  for (const NameUse& use : compiled->names()) names.push_back(use.name);
  EXPECT_THAT(names, ElementsAre("x", "weight", "age"));
  EXPECT_EQ(compiled->names()[1].source, NameSource::kParam);
  EXPECT_FALSE(compile("x > 1", sample_scope()).value()->nullable());
}

TEST(CompiledExprTest, GivesAllProblemsAsOneErrorAndAsData) {
  std::vector<Diagnostic> diagnostics;
  const base::Result<CompiledExprRef> compiled = compile(
      "scroe > 1 and\n  nmae == 'x' and a == null", sample_scope(), {.diagnostics = &diagnostics});
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code(), base::ErrorCode::kInvalidExpression);
  EXPECT_EQ(compiled.error().where(), "1:1");
  EXPECT_THAT(compiled.error().message(), HasSubstr("did you mean `score`?"));
  EXPECT_THAT(compiled.error().message(), HasSubstr(" 2 |   nmae == 'x'"));
  EXPECT_THAT(diagnostics, SizeIs(3));
}

TEST(CompiledExprTest, HandsOutWarningsOfGoodExpressions) {
  std::vector<Diagnostic> diagnostics;
  EXPECT_TRUE(compile("a == null", sample_scope(), {.diagnostics = &diagnostics}));
  ASSERT_THAT(diagnostics, SizeIs(1));
  EXPECT_EQ(diagnostics[0].severity, Severity::kWarning);
}

TEST(CompiledExprTest, PredicatesMustBeBool) {
  EXPECT_TRUE(compile_predicate("a > 1", sample_scope()));
  const base::Result<CompiledExprRef> refused = compile_predicate("a", sample_scope());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("bool is needed"));
}

TEST(CompiledExprTest, EXP8_RegexesAreCompiledAtLoad) {
  const CompiledExprRef compiled = compile("name ~ /^a+$/i", sample_scope()).value();
  ASSERT_THAT(compiled->program().regexes, SizeIs(1));
  EXPECT_TRUE(compiled->program().regexes.front().matches("AAA"));
  const base::Result<CompiledExprRef> refused = compile("name ~ /a(b/", sample_scope());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), base::ErrorCode::kInvalidExpression);
  EXPECT_THAT(refused.error().message(), HasSubstr("missing )"));
}

TEST(CompiledExprTest, HostileTextIsAnErrorNotACrash) {
  std::string deep(10'000, '(');
  EXPECT_FALSE(compile(deep, sample_scope()));
  std::string wide = "a";
  for (int i = 0; i < 8'000; ++i) wide += "+a";
  EXPECT_TRUE(compile(wide, sample_scope()));
  std::string alternating = "a";
  for (int i = 0; i < 5'000; ++i) alternating = alternating + (i % 2 == 0 ? "*b" : "+x");
  EXPECT_TRUE(compile(alternating, sample_scope()));
  EXPECT_FALSE(compile(std::string_view("a\0b", 3), sample_scope()));
  EXPECT_FALSE(compile("\xFF\xFE", sample_scope()));
}

}  // namespace
}  // namespace millrace::expr
