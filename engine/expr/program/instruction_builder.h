#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "expr/kernels/kernel.h"
#include "expr/program/program.h"
#include "expr/program/value_set.h"
#include "rows/column.h"

namespace millrace::expr {

inline constexpr ValueId kNoValue = std::numeric_limits<ValueId>::max();

/// Collects instructions. Instructions that compute the same value get the same number.
/// Threading: not shared. Lifetime: borrows the program.
class InstructionBuilder {
 public:
  /// Constants and sets are stored in `program`.
  explicit InstructionBuilder(Program& program) : program_(program) {}

  [[nodiscard]] std::span<const Instruction> instructions() const { return instructions_; }
  [[nodiscard]] const Instruction& instruction(ValueId value) const { return instructions_[value]; }
  /// True if the value is computed once per request.
  [[nodiscard]] bool is_bound(ValueId value) const {
    return instructions_[value].stage == Stage::kBind;
  }

  [[nodiscard]] ValueId boolean(bool value);
  [[nodiscard]] ValueId integer(std::int64_t value);
  [[nodiscard]] ValueId number(double value);
  [[nodiscard]] ValueId text(const std::string& value);
  [[nodiscard]] ValueId null_of(rows::ColumnType type);

  /// A value from outside; `extra` is the index of its name.
  [[nodiscard]] ValueId source(Opcode opcode, rows::ColumnType type, std::uint32_t extra);
  /// An operation over values. It runs at bind time if all its operands do. The operands have one
  /// type, except the condition of kIf, which comes first.
  [[nodiscard]] ValueId apply(Opcode opcode,
                              rows::ColumnType result_type,
                              std::initializer_list<ValueId> operands,
                              std::uint32_t offset,
                              std::uint32_t extra = 0);
  /// Converts a bound value, once per evaluation, into the form that the body needs.
  [[nodiscard]] ValueId prepare(Opcode opcode, ValueId operand);
  /// Makes a string value one whose code belongs to the dictionary of the evaluation.
  [[nodiscard]] ValueId intern(ValueId value);

  [[nodiscard]] std::uint32_t add_set(std::vector<std::int64_t> elements);
  [[nodiscard]] std::uint32_t add_set(std::vector<double> elements);
  [[nodiscard]] std::uint32_t add_set(std::vector<std::string> elements);

 private:
  [[nodiscard]] ValueId emit(Instruction instruction);
  [[nodiscard]] ValueId constant(Constant constant, std::string content);

  Program& program_;
  std::vector<Instruction> instructions_;
  using Content =
      std::tuple<Opcode, rows::ColumnType, std::array<ValueId, kOperandCountMax>, std::uint32_t>;
  std::map<Content, ValueId> numbered_;
  std::map<std::string, std::uint32_t> constant_indices_;
  std::map<std::vector<std::int64_t>, std::uint32_t> int_set_indices_;
  std::map<std::vector<double>, std::uint32_t> float_set_indices_;
  std::map<std::vector<std::string>, std::uint32_t> string_set_indices_;
};

}  // namespace millrace::expr
