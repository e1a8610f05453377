#pragma once

#include <span>
#include <vector>

#include "expr/program/program.h"

namespace millrace::expr {

/// Brings instructions into the order of execution and adds them to the program. Each instruction
/// comes before its users and is numbered by position; instructions that `root` does not need are
/// dropped. Fuses products into sums, gives every body value a register that is free while the
/// value lives, picks kernels, and sets root, register_count and table_count.
void schedule(std::span<const Instruction> instructions, ValueId root, Program& program);

}  // namespace millrace::expr
