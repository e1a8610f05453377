#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "expr/kernels/kernel.h"
#include "expr/kernels/kernel_fixture.h"
#include "expr/program/compile_fixture.h"

namespace millrace::expr {
namespace {

using rows::ColumnType;
using testing::edge_floats;
using testing::edge_ints;
using testing::for_each_result;
using testing::kIntMax;
using testing::kIntMin;
using testing::Pairs;
using testing::same;

TEST(ArithmeticKernelsTest, IntsWrapAndMarkExactlyTheOverflows) {
  struct Case {
    Opcode opcode;
    std::function<__int128(__int128, __int128)> exact;
  };
  const std::vector<Case> cases{
      {Opcode::kAdd, [](__int128 a, __int128 b) { return a + b; }},
      {Opcode::kSubtract, [](__int128 a, __int128 b) { return a - b; }},
      {Opcode::kMultiply, [](__int128 a, __int128 b) { return a * b; }},
  };
  const Pairs<std::int64_t> pairs(edge_ints());
  for (const Case& c : cases) {
    for (const UniformMask uniform : {0, 1, 2}) {
      const Kernel kernel = kernel_for(c.opcode, ColumnType::kInt64, uniform);
      std::vector<std::int64_t> out(pairs.left.size());
      std::vector<std::uint8_t> marks(out.size());
      const KernelCall call{
          .in = {pairs.left.data(), pairs.right.data()}, .out = out.data(), .count = out.size()};
      bool any = false;
      const bool flagged = kernel.values(call);
      kernel.mark(call, marks.data());
      for (std::size_t i = 0; i < out.size(); ++i) {
        const __int128 exact =
            c.exact(pairs.left[uniform == 1 ? 0 : i], pairs.right[uniform == 2 ? 0 : i]);
        const bool overflows = exact < kIntMin || exact > kIntMax;
        EXPECT_EQ(marks[i], overflows ? 1 : 0) << i;
        EXPECT_EQ(out[i], static_cast<std::int64_t>(exact)) << i;
        any = any || overflows;
      }
      EXPECT_EQ(flagged, any);
    }
  }
}

TEST(ArithmeticKernelsTest, DivisionByZeroIsMarked) {
  const Pairs<std::int64_t> ints(edge_ints());
  const Pairs<double> floats(edge_floats());
  for (const UniformMask uniform : {0, 1, 2}) {
    for_each_result<std::int64_t, std::int64_t>(
        Opcode::kModulo, ColumnType::kInt64, uniform, ints, [](auto a, auto b, auto result) {
          if (b != 0) EXPECT_EQ(result, static_cast<std::int64_t>(static_cast<__int128>(a) % b));
        });
    std::vector<double> out(floats.left.size());
    std::vector<std::uint8_t> marks(out.size());
    const KernelCall call{
        .in = {floats.left.data(), floats.right.data()}, .out = out.data(), .count = out.size()};
    for (const Opcode opcode : {Opcode::kDivide, Opcode::kModulo}) {
      const Kernel kernel = kernel_for(opcode, ColumnType::kFloat64, uniform);
      EXPECT_TRUE(kernel.values(call));
      kernel.mark(call, marks.data());
      for (std::size_t i = 0; i < out.size(); ++i) {
        EXPECT_EQ(marks[i], floats.right[uniform == 2 ? 0 : i] == 0 ? 1 : 0);
      }
    }
  }
}

TEST(ArithmeticKernelsTest, FloatsAreTheOperatorsOfTheLanguage) {
  const Pairs<double> pairs(edge_floats());
  const auto check = [&](Opcode opcode, auto expected) {
    for (const UniformMask uniform : {0, 1, 2}) {
      for_each_result<double, double>(
          opcode, ColumnType::kFloat64, uniform, pairs, [&](double a, double b, double result) {
            EXPECT_TRUE(same(result, expected(a, b))) << a << ' ' << b << ' ' << result;
          });
    }
  };
  check(Opcode::kAdd, [](double a, double b) { return a + b; });
  check(Opcode::kSubtract, [](double a, double b) { return a - b; });
  check(Opcode::kMultiply, [](double a, double b) { return a * b; });
  check(Opcode::kDivide, [](double a, double b) { return a / b; });
  check(Opcode::kModulo, [](double a, double b) { return std::fmod(a, b); });
  check(Opcode::kMin, [](double a, double b) {
    return std::isnan(a) || std::isnan(b) ? std::nan("") : (a < b ? a : b);
  });
  check(Opcode::kMax, [](double a, double b) {
    return std::isnan(a) || std::isnan(b) ? std::nan("") : (a > b ? a : b);
  });
}

TEST(ArithmeticKernelsTest, SumsOfProductsRoundTwice) {
  const Pairs<double> pairs(edge_floats());
  const std::vector<double> first(pairs.left.size(), 0.1);
  for (const UniformMask uniform : {0, 1, 4, 5}) {
    for (const Opcode opcode : {Opcode::kMultiplyAdd, Opcode::kMultiplySubtract}) {
      std::vector<double> out(first.size());
      kernel_for(opcode, ColumnType::kFloat64, uniform)
          .values({.in = {first.data(), pairs.left.data(), pairs.right.data()},
                   .out = out.data(),
                   .count = out.size()});
      for (std::size_t i = 0; i < out.size(); ++i) {
        const volatile double product = pairs.left[i] * pairs.right[(uniform & 4U) != 0 ? 0 : i];
        const double expected = opcode == Opcode::kMultiplyAdd ? 0.1 + product : 0.1 - product;
        EXPECT_TRUE(same(out[i], expected)) << i;
      }
    }
  }
}

TEST(ArithmeticKernelsTest, WeightedSumsRoundEveryProductAndSum) {
  const Pairs<double> pairs(edge_floats());
  const std::array<double, 3> weights{0.1, -0.7, 1e16};
  struct Case {
    Opcode opcode;
    double second_sign;
    double third_sign;
  };
  for (const Case& c : {Case{Opcode::kWeightedAdd, 1, 0},
                        Case{Opcode::kWeightedSubtract, -1, 0},
                        Case{Opcode::kWeightedAddAdd, 1, 1},
                        Case{Opcode::kWeightedAddSubtract, 1, -1},
                        Case{Opcode::kWeightedSubtractAdd, -1, 1},
                        Case{Opcode::kWeightedSubtractSubtract, -1, -1}}) {
    std::vector<double> out(pairs.left.size());
    kernel_for(c.opcode, ColumnType::kFloat64, c.third_sign == 0 ? 0b1010 : 0b101010)
        .values({.in = {pairs.left.data(),
                        &weights[0],
                        pairs.right.data(),
                        &weights[1],
                        pairs.left.data(),
                        &weights[2]},
                 .out = out.data(),
                 .count = out.size()});
    for (std::size_t i = 0; i < out.size(); ++i) {
      const volatile double first = pairs.left[i] * weights[0];
      const volatile double second = pairs.right[i] * weights[1];
      const volatile double third = pairs.left[i] * weights[2];
      const volatile double two = first + c.second_sign * second;
      const double expected = c.third_sign == 0 ? two : two + c.third_sign * third;
      EXPECT_TRUE(same(out[i], expected)) << static_cast<int>(c.opcode) << " " << i;
    }
  }
}

TEST(ArithmeticKernelsTest, NegationAndAbsoluteValue) {
  const std::vector<std::int64_t> ints = edge_ints();
  for (const Opcode opcode : {Opcode::kNegate, Opcode::kAbs}) {
    const Kernel kernel = kernel_for(opcode, ColumnType::kInt64, 0);
    std::vector<std::int64_t> out(ints.size());
    std::vector<std::uint8_t> marks(ints.size());
    const KernelCall call{.in = {ints.data()}, .out = out.data(), .count = out.size()};
    EXPECT_TRUE(kernel.values(call));
    kernel.mark(call, marks.data());
    for (std::size_t i = 0; i < ints.size(); ++i) {
      EXPECT_EQ(marks[i], ints[i] == kIntMin ? 1 : 0);
      if (ints[i] == kIntMin) continue;
      EXPECT_EQ(out[i], opcode == Opcode::kNegate || ints[i] < 0 ? -ints[i] : ints[i]);
    }
  }
}

TEST(ArithmeticKernelsTest, IntMinAndMax) {
  const Pairs<std::int64_t> pairs(edge_ints());
  for (const UniformMask uniform : {0, 1, 2}) {
    for_each_result<std::int64_t, std::int64_t>(
        Opcode::kMin, ColumnType::kInt64, uniform, pairs, [](auto a, auto b, auto result) {
          EXPECT_EQ(result, std::min(a, b));
        });
    for_each_result<std::int64_t, std::int64_t>(
        Opcode::kMax, ColumnType::kInt64, uniform, pairs, [](auto a, auto b, auto result) {
          EXPECT_EQ(result, std::max(a, b));
        });
  }
}

}  // namespace
}  // namespace millrace::expr
