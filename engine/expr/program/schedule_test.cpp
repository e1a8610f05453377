#include "expr/program/schedule.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "expr/compiled_expr.h"
#include "expr/program/compile_fixture.h"
#include "expr/syntax/scope_fixture.h"

namespace millrace::expr {
namespace {

using testing::compiled;

std::vector<Opcode> opcodes(const std::vector<Instruction>& stage) {
  std::vector<Opcode> out;
  for (const Instruction& instruction : stage) out.push_back(instruction.opcode);
  return out;
}

TEST(ScheduleTest, FusesProductsThatNothingElseReads) {
  using enum Opcode;
  const CompiledExprRef linear = compiled("x * $weight + y * 2.0 - score * 0.5");
  EXPECT_EQ(opcodes(linear->program().body),
            (std::vector{kLoad, kLoad, kLoad, kWeightedAddSubtract}));
  const CompiledExprRef left = compiled("x * y + 1.0");
  EXPECT_EQ(opcodes(left->program().body), (std::vector{kLoad, kLoad, kMultiplyAdd}));
  const CompiledExprRef shared = compiled("(x * y + 1.0) / (x * y)");
  EXPECT_TRUE(std::ranges::count(opcodes(shared->program().body), kMultiplyAdd) == 0);
  const CompiledExprRef difference = compiled("x * y - 1.0");
  EXPECT_EQ(opcodes(difference->program().body), (std::vector{kLoad, kLoad, kMultiply, kSubtract}));
  const CompiledExprRef ints = compiled("a * b + a");
  EXPECT_TRUE(std::ranges::count(opcodes(ints->program().body), kMultiplyAdd) == 0);
}

TEST(ScheduleTest, FusesWeightedSumsOfUpToThreeProducts) {
  using enum Opcode;
  const auto body = [](std::string_view text) { return opcodes(compiled(text)->program().body); };
  EXPECT_EQ(body("x * 2.0 + y * 3.0"), (std::vector{kLoad, kLoad, kWeightedAdd}));
  EXPECT_EQ(body("2.0 * x - $weight * y"), (std::vector{kLoad, kLoad, kWeightedSubtract}));
  EXPECT_EQ(body("x * 2.0 + y * 3.0 + score * 4.0"),
            (std::vector{kLoad, kLoad, kLoad, kWeightedAddAdd}));
  EXPECT_EQ(body("x * 2.0 - y * 3.0 + score * 4.0"),
            (std::vector{kLoad, kLoad, kLoad, kWeightedSubtractAdd}));
  EXPECT_EQ(body("x * 2.0 - y * 3.0 - score * 4.0"),
            (std::vector{kLoad, kLoad, kLoad, kWeightedSubtractSubtract}));
  EXPECT_EQ(body("x * 2.0 + y * 3.0 + score * 4.0 + x * 5.0"),
            (std::vector{kLoad, kLoad, kLoad, kWeightedAddAdd, kMultiplyAdd}));
  EXPECT_EQ(body("x * y + score * 4.0"),
            (std::vector{kLoad, kLoad, kMultiply, kLoad, kMultiplyAdd}));
  EXPECT_EQ(body("x * 2.0 + y * score"),
            (std::vector{kLoad, kMultiply, kLoad, kLoad, kMultiplyAdd}));
}

TEST(ScheduleTest, LongChainsNeedFewRegisters) {
  std::string sum = "x";
  std::string least = "min(x";
  for (int i = 0; i < 500; ++i) {
    sum += " + exp(y + " + std::to_string(i) + ")";
    least += ", exp(y + " + std::to_string(i) + ")";
  }
  EXPECT_LE(compiled(sum)->program().register_count, 5U);
  EXPECT_LE(compiled(least + ")")->program().register_count, 5U);
}

// No instruction may write a register that an operand, or a value needed later, still occupies.
TEST(ScheduleTest, RegistersAreFreeWhenTheyAreTaken) {
  for (const std::string_view text : {"a + b * a - abs(b) % (a + b)",
                                      "if(on, coalesce(x, y), x + y) * coalesce(x, y)",
                                      "coalesce(if(on, name, country), lower(name))",
                                      "x / y + x * y - (x + y)"}) {
    const CompiledExprRef held = compiled(text);
    const Program& program = held->program();
    const std::size_t first = program.bind.size() + program.prologue.size();
    std::vector<std::size_t> last_use(program.value_count());
    for (std::size_t i = 0; i < program.body.size(); ++i) {
      for (std::size_t k = 0; k < program.body[i].operand_count; ++k) {
        last_use[program.body[i].in[k]] = i;
      }
    }
    for (std::size_t i = 0; i < program.body.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (last_use[first + j] < i) continue;
        EXPECT_NE(program.body[i].register_index, program.body[j].register_index) << text << i << j;
      }
    }
  }
}

TEST(ScheduleTest, NumbersValuesInOrderOfExecution) {
  const CompiledExprRef held = compiled("if(on and $flag, name, $label) == 'x' and a > $limit");
  const Program& program = held->program();
  std::set<ValueId> made;
  ValueId next = 0;
  for (const std::vector<Instruction>* stage : {&program.bind, &program.prologue, &program.body}) {
    for (const Instruction& instruction : *stage) {
      EXPECT_EQ(instruction.out, next++);
      for (std::size_t i = 0; i < instruction.operand_count; ++i) {
        EXPECT_TRUE(made.contains(instruction.in[i]));
      }
      made.insert(instruction.out);
    }
  }
  EXPECT_EQ(program.root, program.body.back().out);
  EXPECT_FALSE(program.prologue.empty());
}

}  // namespace
}  // namespace millrace::expr
