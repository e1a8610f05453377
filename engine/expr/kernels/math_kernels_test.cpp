#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "expr/kernels/hash.h"
#include "expr/kernels/kernel.h"
#include "expr/kernels/kernel_fixture.h"

namespace millrace::expr {
namespace {

using rows::ColumnType;
using testing::edge_floats;
using testing::edge_ints;
using testing::for_each_result;
using testing::Pairs;
using testing::same;

template <class In, class Out, class F>
void check_unary(Opcode opcode, ColumnType type, const std::vector<In>& values, F expected) {
  std::vector<Out> out(values.size());
  kernel_for(opcode, type, 0)
      .values({.in = {values.data()}, .out = out.data(), .count = out.size()});
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_TRUE(same(out[i], expected(values[i]))) << values[i] << ' ' << out[i];
  }
}

TEST(MathKernelsTest, FloatsGoThroughTheLibrary) {
  const std::vector<double> floats = edge_floats();
  const auto check = [&](Opcode opcode, auto expected) {
    check_unary<double, double>(opcode, ColumnType::kFloat64, floats, expected);
  };
  check(Opcode::kFloor, [](double a) { return std::floor(a); });
  check(Opcode::kCeil, [](double a) { return std::ceil(a); });
  check(Opcode::kRound, [](double a) { return std::round(a); });
  check(Opcode::kSqrt, [](double a) { return std::sqrt(a); });
  check(Opcode::kExp, [](double a) { return std::exp(a); });
  check(Opcode::kLog, [](double a) { return std::log(a); });
  check(Opcode::kSigmoid, [](double a) { return 1 / (1 + std::exp(-a)); });
}

TEST(MathKernelsTest, PowerTakesUniformOperands) {
  for (const UniformMask uniform : {0, 1, 2}) {
    for_each_result<double, double>(
        Opcode::kPow,
        ColumnType::kFloat64,
        uniform,
        Pairs<double>(edge_floats()),
        [](double a, double b, double result) { EXPECT_TRUE(same(result, std::pow(a, b))); });
  }
}

TEST(MathKernelsTest, ConvertsAndHashes) {
  check_unary<std::int64_t, double>(
      Opcode::kToFloat, ColumnType::kInt64, edge_ints(), [](std::int64_t a) {
        return static_cast<double>(a);
      });
  check_unary<std::int64_t, std::int64_t>(
      Opcode::kHash, ColumnType::kInt64, edge_ints(), [](std::int64_t a) {
        return hash_bits(static_cast<std::uint64_t>(a));
      });
  check_unary<double, std::int64_t>(Opcode::kHash, ColumnType::kFloat64, edge_floats(), hash_float);
  check_unary<std::uint8_t, std::int64_t>(
      Opcode::kHash, ColumnType::kBool, {0, 1}, [](std::uint8_t a) { return hash_bits(a); });
}

TEST(MathKernelsTest, NegatesBools) {
  const std::vector<std::uint8_t> values{0, 1, 1, 0};
  std::vector<std::uint8_t> out(values.size());
  kernel_for(Opcode::kNot, ColumnType::kBool, 0)
      .values({.in = {values.data()}, .out = out.data(), .count = out.size()});
  EXPECT_EQ(out, (std::vector<std::uint8_t>{1, 0, 0, 1}));
}

}  // namespace
}  // namespace millrace::expr
