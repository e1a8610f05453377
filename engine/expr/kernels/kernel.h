#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "expr/kernels/opcode.h"
#include "rows/column.h"
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
  /// Writes 1 for each exceptional row, 0 for others. nullptr for opcodes without exceptional rows.
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

/// The kernel for operands of `type`. Defined for every opcode that the machine runs by a kernel;
/// asking for another is a defect.
[[nodiscard]] Kernel kernel_for(Opcode opcode, rows::ColumnType type, UniformMask uniform);

// Parts of kernel_for, by family. Each gives nothing for an opcode of another family.
[[nodiscard]] std::optional<Kernel> find_arithmetic_kernel(Opcode opcode,
                                                           rows::ColumnType type,
                                                           UniformMask uniform);
[[nodiscard]] std::optional<Kernel> find_math_kernel(Opcode opcode,
                                                     rows::ColumnType type,
                                                     UniformMask uniform);
[[nodiscard]] std::optional<Kernel> find_compare_kernel(Opcode opcode,
                                                        rows::ColumnType type,
                                                        UniformMask uniform);

/// Writes in[1] where the byte in[0] is 1, else in[2]; `width_bytes` is 1, 4, 8 or 16, and only
/// operands 1 and 2 may be uniform.
[[nodiscard]] Kernel choose_kernel(std::size_t width_bytes, UniformMask uniform);

}  // namespace millrace::expr
