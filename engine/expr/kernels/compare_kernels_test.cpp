#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "expr/kernels/kernel.h"
#include "expr/kernels/kernel_fixture.h"
#include "rows/row_set.h"

namespace millrace::expr {
namespace {

using rows::ColumnType;
using rows::RowIndex;
using testing::edge_floats;
using testing::edge_ints;
using testing::Pairs;

template <class T>
bool compare(Opcode opcode, T a, T b) {
  switch (opcode) {
    case Opcode::kEqual:
      return a == b;
    case Opcode::kNotEqual:
      return a != b;
    case Opcode::kLess:
      return a < b;
    case Opcode::kLessEqual:
      return a <= b;
    case Opcode::kGreater:
      return a > b;
    default:
      return a >= b;
  }
}

// Checks the bytes and both selections of one comparison.
template <class T>
void check_comparison(Opcode opcode, ColumnType type, UniformMask uniform, const Pairs<T>& pairs) {
  const Kernel kernel = kernel_for(opcode, type, uniform);
  const std::size_t count = pairs.left.size();
  std::vector<std::uint8_t> bytes(count);
  std::vector<RowIndex> index(count);
  std::vector<RowIndex> dense(count);
  std::vector<RowIndex> indexed(count);
  for (std::size_t i = 0; i < count; ++i) index[i] = static_cast<RowIndex>(3 * (count - i));
  const KernelCall call{
      .in = {pairs.left.data(), pairs.right.data()}, .out = bytes.data(), .count = count};
  EXPECT_FALSE(kernel.values(call));
  dense.resize(kernel.select_dense(call, 100, dense.data()));
  indexed.resize(kernel.select_indexed(call, index.data(), indexed.data()));

  std::vector<RowIndex> expected_dense;
  std::vector<RowIndex> expected_indexed;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_true =
        compare(opcode, pairs.left[uniform == 1 ? 0 : i], pairs.right[uniform == 2 ? 0 : i]);
    EXPECT_EQ(bytes[i], is_true ? 1 : 0) << i;
    if (!is_true) continue;
    expected_dense.push_back(static_cast<RowIndex>(100 + i));
    expected_indexed.push_back(index[i]);
  }
  EXPECT_EQ(dense, expected_dense);
  EXPECT_EQ(indexed, expected_indexed);
}

TEST(CompareKernelsTest, BytesAndSelectionsAgreeWithTheOperator) {
  const Pairs<std::int64_t> ints(edge_ints());
  const Pairs<double> floats(edge_floats());
  for (const Opcode opcode : {Opcode::kEqual,
                              Opcode::kNotEqual,
                              Opcode::kLess,
                              Opcode::kLessEqual,
                              Opcode::kGreater,
                              Opcode::kGreaterEqual}) {
    for (const UniformMask uniform : {0, 1, 2}) {
      check_comparison(opcode, ColumnType::kInt64, uniform, ints);
      check_comparison(opcode, ColumnType::kFloat64, uniform, floats);
    }
  }
  const Pairs<std::uint8_t> bools({0, 1});
  for (const UniformMask uniform : {0, 1, 2}) {
    check_comparison(Opcode::kEqual, ColumnType::kBool, uniform, bools);
    check_comparison(Opcode::kNotEqual, ColumnType::kBool, uniform, bools);
  }
}

}  // namespace
}  // namespace millrace::expr
