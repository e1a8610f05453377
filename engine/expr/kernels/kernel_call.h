#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rows/row_set.h"

namespace millrace::expr {

/// Bit i says that operand i is one value for all rows.
using UniformMask = std::uint8_t;

/// The most operands an instruction has.
inline constexpr std::size_t kOperandCountMax = 6;

/// Operands of a kernel: arrays of `count` values, or one value where the kernel's UniformMask says
/// so. Layouts are those of rows::Column. `out` overlaps no operand.
struct KernelCall {
  std::array<const void*, kOperandCountMax> in{};
  void* out = nullptr;
  std::size_t count = 0;
};

/// The loop of one opcode for one operand type and shape. It computes every row, null or not, and
/// never traps.
struct Kernel {
  /// Writes the values; true if a row may be exceptional (overflow, division by zero).
  bool (*values)(const KernelCall& call) = nullptr;
  /// Writes 1 for each exceptional row, 0 for others; null where there can be none.
  void (*mark)(const KernelCall& call, std::uint8_t* exceptional) = nullptr;
  /// For comparisons: writes the rows that compare true and returns how many. `out` needs room for
  /// all of them.
  std::size_t (*select_dense)(const KernelCall& call,
                              rows::RowIndex first,
                              rows::RowIndex* out) = nullptr;
  std::size_t (*select_indexed)(const KernelCall& call,
                                const rows::RowIndex* index,
                                rows::RowIndex* out) = nullptr;
};

}  // namespace millrace::expr
