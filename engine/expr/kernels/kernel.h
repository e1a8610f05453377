#pragma once

#include <cstddef>
#include <optional>

#include "expr/kernels/kernel_call.h"
#include "expr/kernels/opcode.h"
#include "rows/column.h"

namespace millrace::expr {

/// The kernel for operands of `type`. Defined for every opcode that the machine runs by a kernel;
/// asking for another is a defect.
[[nodiscard]] Kernel kernel_for(Opcode opcode, rows::ColumnType type, UniformMask uniform);

// Parts of kernel_for, by family; nothing for an opcode of another family.
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
