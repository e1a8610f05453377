#pragma once

#include <span>
#include <vector>

#include "expr/program/program.h"

namespace millrace::expr {

/// Brings instructions into the order of execution and fills the program with them. `instructions`
/// stand before their users and are numbered by position; what `root` does not need is dropped.
/// Fuses products into sums, gives every body value a register that is free while the value lives,
/// picks kernels, and sets root, register_count and table_count.
void schedule(std::span<const Instruction> instructions, ValueId root, Program& program);

}  // namespace millrace::expr
