#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "expr/kernels/kernel.h"
#include "expr/kernels/opcode.h"
#include "expr/program/regex.h"
#include "expr/program/value_set.h"
#include "rows/column.h"

namespace millrace::expr {

/// Number of a value; each instruction makes one.
using ValueId = std::uint32_t;

/// When an instruction runs.
enum class Stage : std::uint8_t {
  kBind,      ///< once per request: depends on no key, makes one value
  kPrologue,  ///< once per evaluation: brings a bound value into the form the body needs
  kBody,      ///< once per chunk of rows
};

struct Instruction {
  Opcode opcode = Opcode::kConstant;
  Stage stage = Stage::kBody;
  /// Type of the operands; for a source, of the value.
  rows::ColumnType type = rows::ColumnType::kInt64;
  rows::ColumnType result_type = rows::ColumnType::kInt64;
  UniformMask uniform = 0;  ///< operands that are one value for all rows
  std::uint8_t operand_count = 0;
  bool is_vector = false;      ///< the result has a value per row
  bool product_first = false;  ///< in a fused product and sum: the product was the left operand
  ValueId out = 0;
  std::array<ValueId, kOperandCountMax> in{};
  /// Index of the constant, name, key, regex or set.
  std::uint32_t extra = 0;
  std::uint32_t register_index = 0;  ///< where a body value is kept
  std::uint32_t table_index = 0;     ///< table of a string operation
  std::uint32_t offset = 0;          ///< place in the source, for row errors
  Kernel kernel{};

  /// True if the operand is one value for all rows.
  [[nodiscard]] bool is_uniform(std::size_t operand) const {
    return ((uniform >> operand) & 1U) != 0;
  }
};

/// A literal.
struct Constant {
  rows::ColumnType type = rows::ColumnType::kInt64;
  bool is_null = false;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text{};
};

/// An expression as straight-line code. Values are numbered: first those of the bind stage, then of
/// the prologue, then of the body, each in the order of execution; the root is the last of its
/// stage. Threading: any thread once built.
struct Program {
  std::vector<Instruction> bind;
  std::vector<Instruction> prologue;
  std::vector<Instruction> body;
  ValueId root = 0;
  rows::ColumnType type = rows::ColumnType::kInt64;
  std::uint32_t register_count = 0;
  std::uint32_t table_count = 0;
  std::vector<Constant> constants;
  std::vector<Regex> regexes;
  std::vector<NumberSet<std::int64_t>> int_sets;
  std::vector<NumberSet<double>> float_sets;
  std::vector<StringSet> string_sets;

  [[nodiscard]] std::size_t value_count() const {
    return bind.size() + prologue.size() + body.size();
  }
};

}  // namespace millrace::expr
