#include "expr/program/instruction_builder.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "expr/program/program.h"
#include "rows/column.h"

namespace millrace::expr {

namespace {

using rows::ColumnType;

template <class Set, class Element>
std::uint32_t find_or_add(std::vector<Set>& sets,
                          std::map<std::vector<Element>, std::uint32_t>& indices,
                          std::vector<Element> elements) {
  const auto [at, is_new] = indices.try_emplace(elements, static_cast<std::uint32_t>(sets.size()));
  if (is_new) sets.emplace_back(std::move(elements));
  return at->second;
}

}  // namespace

ValueId InstructionBuilder::emit(Instruction instruction) {
  const std::tuple key{instruction.opcode, instruction.type, instruction.in, instruction.extra};
  const auto [at, is_new] = numbered_.try_emplace(key, static_cast<ValueId>(instructions_.size()));
  if (!is_new) return at->second;
  instruction.out = at->second;
  instructions_.push_back(instruction);
  return instruction.out;
}

ValueId InstructionBuilder::constant(Constant constant, std::string content) {
  content += static_cast<char>(constant.type);
  content += constant.is_null ? 'n' : 'v';
  const ColumnType type = constant.type;
  const auto next = static_cast<std::uint32_t>(program_.constants.size());
  const auto [at, is_new] = constant_indices_.try_emplace(std::move(content), next);
  if (is_new) program_.constants.push_back(std::move(constant));
  return source(Opcode::kConstant, type, at->second);
}

ValueId InstructionBuilder::boolean(bool value) {
  return constant({.type = ColumnType::kBool, .boolean = value}, value ? "1" : "0");
}

ValueId InstructionBuilder::integer(std::int64_t value) {
  return constant({.type = ColumnType::kInt64, .integer = value}, std::to_string(value));
}

ValueId InstructionBuilder::number(double value) {
  return constant({.type = ColumnType::kFloat64, .number = value},
                  std::to_string(std::bit_cast<std::uint64_t>(value)));
}

ValueId InstructionBuilder::text(const std::string& value) {
  return constant({.type = ColumnType::kString, .text = value}, value);
}

ValueId InstructionBuilder::null_of(ColumnType type) {
  return constant({.type = type, .is_null = true}, {});
}

ValueId InstructionBuilder::source(Opcode opcode, ColumnType type, std::uint32_t extra) {
  const bool is_key = opcode == Opcode::kLoad;
  return emit({.opcode = opcode,
               .stage = is_key ? Stage::kBody : Stage::kBind,
               .type = type,
               .result_type = type,
               .is_vector = is_key,
               .in = {kNoValue, kNoValue, kNoValue},
               .extra = extra});
}

ValueId InstructionBuilder::apply(Opcode opcode,
                                  ColumnType result_type,
                                  std::initializer_list<ValueId> operands,
                                  std::uint32_t offset,
                                  std::uint32_t extra) {
  Instruction instruction{.opcode = opcode,
                          .stage = Stage::kBind,
                          .type = instructions_[*(operands.end() - 1)].result_type,
                          .result_type = result_type,
                          .operand_count = static_cast<std::uint8_t>(operands.size()),
                          .in = {kNoValue, kNoValue, kNoValue},
                          .extra = extra,
                          .offset = offset};
  std::size_t at = 0;
  for (const ValueId operand : operands) {
    instruction.in[at++] = operand;
    if (is_bound(operand)) continue;
    instruction.stage = Stage::kBody;
    instruction.is_vector = true;
  }
  return emit(instruction);
}

ValueId InstructionBuilder::prepare(Opcode opcode, ValueId operand) {
  const ColumnType type = instructions_[operand].result_type;
  return emit({.opcode = opcode,
               .stage = Stage::kPrologue,
               .type = type,
               .result_type = type,
               .operand_count = 1,
               .is_vector = opcode == Opcode::kSplat,
               .in = {operand, kNoValue, kNoValue}});
}

ValueId InstructionBuilder::intern(ValueId value) {
  const Instruction& instruction = instructions_[value];
  if (instruction.result_type != ColumnType::kString) return value;
  if (is_bound(value)) return prepare(Opcode::kIntern, value);
  // Only a loaded column has a dictionary of its own; strings computed per row are in the
  // evaluation's dictionary already.
  if (instruction.opcode != Opcode::kLoad) return value;
  return apply(Opcode::kIntern, ColumnType::kString, {value}, instruction.offset);
}

std::uint32_t InstructionBuilder::add_set(std::vector<std::int64_t> elements) {
  return find_or_add(program_.int_sets, int_set_indices_, std::move(elements));
}

std::uint32_t InstructionBuilder::add_set(std::vector<double> elements) {
  return find_or_add(program_.float_sets, float_set_indices_, std::move(elements));
}

std::uint32_t InstructionBuilder::add_set(std::vector<std::string> elements) {
  return find_or_add(program_.string_sets, string_set_indices_, std::move(elements));
}

}  // namespace millrace::expr
