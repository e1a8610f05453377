#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "expr/kernels/kernel.h"

namespace millrace::expr::testing {

/// Values on the edges of their types: enough to fill vectors and to leave a remainder.
[[nodiscard]] inline std::vector<std::int64_t> edge_ints() {
  using Limits = std::numeric_limits<std::int64_t>;
  return {0,
          1,
          -1,
          2,
          -2,
          7,
          -7,
          1000,
          Limits::min(),
          Limits::max(),
          Limits::min() + 1,
          std::int64_t{1} << 32U,
          -(std::int64_t{1} << 31U)};
}

[[nodiscard]] inline std::vector<double> edge_floats() {
  using Limits = std::numeric_limits<double>;
  return {0.0,
          -0.0,
          1.0,
          -1.0,
          0.5,
          -2.5,
          1e300,
          -1e300,
          Limits::denorm_min(),
          Limits::infinity(),
          -Limits::infinity(),
          Limits::quiet_NaN(),
          1e-300};
}

/// All pairs of edge values, as two arrays.
template <class T>
struct Pairs {
  std::vector<T> left;
  std::vector<T> right;

  explicit Pairs(const std::vector<T>& edges) {
    for (const T a : edges) {
      for (const T b : edges) {
        left.push_back(a);
        right.push_back(b);
      }
    }
  }
};

[[nodiscard]] inline bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}
[[nodiscard]] inline bool same(std::int64_t a, std::int64_t b) { return a == b; }

/// Runs a kernel of two operands over pairs, with the operands of `uniform` held at their first
/// value, and hands each (a, b, result) to `check`.
template <class T, class Out, class Check>
void for_each_result(
    Opcode opcode, rows::ColumnType type, UniformMask uniform, const Pairs<T>& pairs, Check check) {
  std::vector<Out> out(pairs.left.size());
  const Kernel kernel = kernel_for(opcode, type, uniform);
  kernel.values(
      {.in = {pairs.left.data(), pairs.right.data()}, .out = out.data(), .count = out.size()});
  for (std::size_t i = 0; i < out.size(); ++i) {
    const T a = pairs.left[(uniform & 1U) != 0 ? 0 : i];
    const T b = pairs.right[(uniform & 2U) != 0 ? 0 : i];
    check(a, b, out[i]);
  }
}

}  // namespace millrace::expr::testing
