#include "expr/program/instruction_builder.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::expr {
namespace {

using rows::ColumnType;

TEST(InstructionBuilderTest, GivesEqualValuesOneNumber) {
  Program program;
  InstructionBuilder builder(program);
  EXPECT_EQ(builder.integer(1), builder.integer(1));
  EXPECT_NE(builder.integer(1), builder.number(1));
  EXPECT_NE(builder.number(0.0), builder.number(-0.0));
  EXPECT_NE(builder.text("1"), builder.integer(1));
  EXPECT_NE(builder.text(""), builder.null_of(ColumnType::kString));
  EXPECT_NE(builder.null_of(ColumnType::kInt64), builder.null_of(ColumnType::kBool));
  const ValueId key = builder.source(Opcode::kLoad, ColumnType::kInt64, 0);
  EXPECT_EQ(key, builder.source(Opcode::kLoad, ColumnType::kInt64, 0));
  EXPECT_NE(key, builder.source(Opcode::kLoad, ColumnType::kInt64, 1));
  const ValueId one = builder.integer(1);
  EXPECT_EQ(builder.apply(Opcode::kAdd, ColumnType::kInt64, {key, one}, 3),
            builder.apply(Opcode::kAdd, ColumnType::kInt64, {key, one}, 9));
  EXPECT_NE(builder.apply(Opcode::kAdd, ColumnType::kInt64, {key, one}, 3),
            builder.apply(Opcode::kAdd, ColumnType::kInt64, {one, key}, 3));
}

TEST(InstructionBuilderTest, BindsWhatDependsOnNoKey) {
  Program program;
  InstructionBuilder builder(program);
  const ValueId key = builder.source(Opcode::kLoad, ColumnType::kInt64, 0);
  const ValueId param = builder.source(Opcode::kParam, ColumnType::kInt64, 1);
  EXPECT_FALSE(builder.is_bound(key));
  EXPECT_TRUE(builder.is_bound(param));
  const ValueId sum =
      builder.apply(Opcode::kAdd, ColumnType::kInt64, {param, builder.integer(2)}, 0);
  EXPECT_TRUE(builder.is_bound(sum));
  EXPECT_FALSE(builder.is_bound(builder.apply(Opcode::kAdd, ColumnType::kInt64, {sum, key}, 0)));
}

TEST(InstructionBuilderTest, InternsOnlyStringsWithDictionariesOfTheirOwn) {
  Program program;
  InstructionBuilder builder(program);
  const ValueId number = builder.source(Opcode::kLoad, ColumnType::kInt64, 0);
  EXPECT_EQ(builder.intern(number), number);
  const ValueId column = builder.source(Opcode::kLoad, ColumnType::kString, 1);
  const ValueId lowered = builder.apply(Opcode::kLower, ColumnType::kString, {column}, 0);
  EXPECT_EQ(builder.intern(lowered), lowered);
  EXPECT_EQ(builder.instruction(builder.intern(column)).stage, Stage::kBody);
  const ValueId bound = builder.intern(builder.text("a"));
  EXPECT_EQ(builder.instruction(bound).stage, Stage::kPrologue);
  EXPECT_FALSE(builder.instruction(bound).is_vector);
}

TEST(InstructionBuilderTest, GivesEqualSetsOneNumber) {
  Program program;
  InstructionBuilder builder(program);
  EXPECT_EQ(builder.add_set(std::vector<std::int64_t>{1, 2}), 0U);
  EXPECT_EQ(builder.add_set(std::vector<std::int64_t>{1, 3}), 1U);
  EXPECT_EQ(builder.add_set(std::vector<std::int64_t>{1, 2}), 0U);
  EXPECT_EQ(builder.add_set(std::vector<std::string>{"1", "2"}), 0U);
  EXPECT_EQ(program.int_sets.size(), 2U);
}

}  // namespace
}  // namespace millrace::expr
