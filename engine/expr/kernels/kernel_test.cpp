#include "expr/kernels/kernel.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::expr {
namespace {

template <class T>
void check_choose(std::size_t width_bytes, T yes, T no) {
  const std::vector<std::uint8_t> choice{1, 0, 0, 1, 1};
  const std::vector<T> yes_values(choice.size(), yes);
  const std::vector<T> no_values(choice.size(), no);
  for (const UniformMask uniform : {0, 2, 4, 6}) {
    std::vector<T> out(choice.size());
    EXPECT_FALSE(choose_kernel(width_bytes, uniform)
                     .values({.in = {choice.data(), yes_values.data(), no_values.data()},
                              .out = out.data(),
                              .count = choice.size()}));
    for (std::size_t i = 0; i < choice.size(); ++i) EXPECT_EQ(out[i], choice[i] != 0 ? yes : no);
  }
}

TEST(KernelTest, ChoosesEntriesOfEveryWidth) {
  check_choose<std::uint8_t>(1, 1, 0);
  check_choose<std::int32_t>(4, 70'000, -1);
  check_choose<double>(8, 1.5, -0.25);
  check_choose<std::string_view>(16, "yes", "no");
}

TEST(KernelTest, HasAKernelForEveryTypedOpcode) {
  using enum rows::ColumnType;
  for (const Opcode opcode :
       {Opcode::kAdd, Opcode::kMultiply, Opcode::kMin, Opcode::kLess, Opcode::kHash}) {
    EXPECT_NE(kernel_for(opcode, kInt64, 0).values, nullptr);
    EXPECT_NE(kernel_for(opcode, kFloat64, 0).values, nullptr);
  }
  EXPECT_NE(kernel_for(Opcode::kNot, kBool, 0).values, nullptr);
  EXPECT_NE(kernel_for(Opcode::kToFloat, kInt64, 0).values, nullptr);
}

}  // namespace
}  // namespace millrace::expr
