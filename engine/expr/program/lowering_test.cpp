#include "expr/program/lowering.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/compiled_expr.h"
#include "expr/program/compile_fixture.h"
#include "expr/syntax/scope_fixture.h"

namespace millrace::expr {
namespace {

using testing::compiled;
using ::testing::HasSubstr;

std::size_t count(const std::vector<Instruction>& stage, Opcode opcode) {
  return static_cast<std::size_t>(std::ranges::count(stage, opcode, &Instruction::opcode));
}

std::string problem(std::string_view text, const Limits& limits = {}) {
  const base::Result<CompiledExprRef> result = compile(text, sample_scope(), {.limits = limits});
  return result ? "" : result.error().message();
}

TEST(LoweringTest, SharesCommonSubexpressions) {
  const CompiledExprRef shared = compiled("(a + b) * (a + b) + abs(a + b)");
  EXPECT_EQ(count(shared->program().body, Opcode::kAdd), 2U);
  EXPECT_EQ(count(shared->program().body, Opcode::kLoad), 2U);
  EXPECT_EQ(count(compiled("exp(x) / exp(x)")->program().body, Opcode::kExp), 1U);
  const CompiledExprRef matches = compiled("name ~ /a/ or (name ~ /a/ and on)");
  EXPECT_EQ(count(matches->program().body, Opcode::kMatch), 1U);
  EXPECT_EQ(matches->program().regexes.size(), 1U);
  const CompiledExprRef sets = compiled("a in [1, 2] or (a in [1, 2] and on)");
  EXPECT_EQ(count(sets->program().body, Opcode::kInSet), 1U);
}

TEST(LoweringTest, DoesNotShareWhatDiffers) {
  EXPECT_EQ(compiled("0.0 < x and -0.0 < x")->program().constants.size(), 2U);
  EXPECT_EQ(
      compiled("a < 1 and x < 1.0 and on != true and name != '1'")->program().constants.size(), 4U);
  EXPECT_EQ(compiled("name ~ /a/ or name ~ /a/i")->program().regexes.size(), 2U);
}

TEST(LoweringTest, ComputesPerRowOnlyWhatDependsOnKeys) {
  const CompiledExprRef linear = compiled("x * ($weight * 2.0 + exp(1)) + $limit");
  EXPECT_EQ(count(linear->program().body, Opcode::kExp), 0U);
  EXPECT_EQ(count(linear->program().bind, Opcode::kExp), 1U);
  EXPECT_EQ(linear->program().body.size(), 2U);  // load, multiply and add
}

TEST(LoweringTest, ReadsLiteralListsAsOneSet) {
  const CompiledExprRef literals = compiled("a in [1, 2, 3]");
  EXPECT_EQ(literals->program().body.size(), 2U);
  const CompiledExprRef mixed = compiled("a in [1, 2, $limit, 3, b]");
  EXPECT_EQ(count(mixed->program().body, Opcode::kInSet), 2U);
  EXPECT_EQ(count(mixed->program().body, Opcode::kEqual), 2U);
}

TEST(LoweringTest, ReportsBadRegexes) {
  EXPECT_THAT(problem("name ~ /(/ or name ~ /[/"), HasSubstr("missing )"));
  EXPECT_THAT(problem("name ~ /(/ or name ~ /[/"), HasSubstr("missing ]"));
  EXPECT_THAT(problem("name ~ /a/q"), HasSubstr("Unknown regex flag"));
  EXPECT_THAT(problem("name ~ /((x{100}){100}){100}/"), HasSubstr("does not compile"));
}

TEST(LoweringTest, BoundsRegexes) {
  std::string text = "name ~ /0/";
  for (int i = 1; i < 40; ++i) text += " or name ~ /" + std::to_string(i) + "/";
  EXPECT_THAT(problem(text), HasSubstr("too many regexes: at most 32"));
}

TEST(LoweringTest, BoundsValuesKeptAtOnce) {
  // Every abs(...) is needed again after all of them have been computed.
  std::string sum = "0";
  std::string product = "1";
  for (int i = 0; i < 100; ++i) {
    const std::string value = "abs(a + " + std::to_string(i) + ")";
    sum += " + " + value;
    product += " * " + value;
  }
  EXPECT_EQ(problem("(" + sum + ") % (" + product + ")"), "");
  Limits limits;
  limits.live_count_max = 50;
  EXPECT_THAT(problem("(" + sum + ") % (" + product + ")", limits),
              HasSubstr("too many values at once: at most 50"));
}

}  // namespace
}  // namespace millrace::expr
