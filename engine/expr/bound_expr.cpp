#include "expr/bound_expr.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/result.h"
#include "expr/machine/machine.h"
#include "expr/program/program.h"
#include "rows/column.h"
#include "rows/value.h"

namespace millrace::expr {

namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;
using rows::ColumnType;

std::string_view prefix_of(NameSource source) {
  switch (source) {
    case NameSource::kKey:
      return "";
    case NameSource::kParam:
      return "$";
    case NameSource::kRequest:
      return "$req.";
    case NameSource::kViewer:
      return "viewer.";
  }
  return "";
}

std::string place_of(const NameUse& use) { return std::string(prefix_of(use.source)) + use.name; }

std::span<const rows::Value> values_of(NameSource source, const Bindings& bindings) {
  switch (source) {
    case NameSource::kParam:
      return bindings.params;
    case NameSource::kRequest:
      return bindings.request;
    case NameSource::kViewer:
      return bindings.viewer;
    case NameSource::kKey:
      break;
  }
  return {};
}

}  // namespace

BoundExpr::BoundExpr(CompiledExprRef compiled)
    : compiled_(std::move(compiled)),
      registers_(1, sizeof(std::string_view), Registers::Sharing::kByValue) {
  const Program& program = compiled_->program();
  const std::size_t count = program.bind.size();
  cells_ = std::make_unique<std::byte[]>(registers_.bytes_for(count));
  registers_.set_memory(cells_.get());
  values_.resize(count);
  const bool makes_strings = std::ranges::any_of(program.bind, [](const Instruction& instruction) {
    return instruction.opcode == Opcode::kLower;
  });
  const auto text_count = std::ranges::count_if(program.bind, [](const Instruction& instruction) {
    return instruction.type == ColumnType::kString && instruction.operand_count == 0;
  });
  texts_.reserve(static_cast<std::size_t>(text_count));
  if (makes_strings) pool_ = std::make_unique<StringPool>();
}

template <class T>
void BoundExpr::set(const Instruction& instruction, T value) {
  std::byte* data = registers_.data(instruction);
  std::memcpy(data, &value, sizeof(value));
  values_[instruction.out] = {.data = data};
}

void BoundExpr::set_null(const Instruction& instruction) {
  // Registers start as zero bytes, so the validity byte says null.
  values_[instruction.out] = {.data = registers_.data(instruction),
                              .valid = registers_.valid(instruction)};
}

void BoundExpr::set_constants() {
  for (const Instruction& instruction : compiled_->program().bind) {
    if (instruction.opcode != Opcode::kConstant) continue;
    const Constant& constant = compiled_->program().constants[instruction.extra];
    if (constant.is_null) {
      set_null(instruction);
      continue;
    }
    switch (constant.type) {
      case ColumnType::kInt64:
        set(instruction, constant.integer);
        break;
      case ColumnType::kFloat64:
        set(instruction, constant.number);
        break;
      case ColumnType::kBool:
        set(instruction, static_cast<std::uint8_t>(constant.boolean));
        break;
      case ColumnType::kString:
        set(instruction, std::string_view(constant.text));
        break;
    }
  }
}

Status BoundExpr::set_source(const Instruction& instruction, const Bindings& bindings) {
  if (instruction.opcode == Opcode::kNow) {
    set(instruction, static_cast<std::int64_t>(bindings.now.time_since_epoch().count()));
    return {};
  }
  const NameUse& use = compiled_->names()[instruction.extra];
  const std::span<const rows::Value> values = values_of(use.source, bindings);
  if (use.info.index >= values.size()) {
    return fail(ErrorCode::kInvalidArgument, "The request has no value for a name", place_of(use));
  }
  return set_value(instruction, use, values[use.info.index]);
}

Status BoundExpr::set_value(const Instruction& instruction,
                            const NameUse& use,
                            const rows::Value& value) {
  if (std::holds_alternative<std::monostate>(value)) {
    if (!use.info.nullable) {
      return fail(ErrorCode::kInvalidArgument, "A value must not be null", place_of(use));
    }
    set_null(instruction);
    return {};
  }
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto* number = std::get_if<double>(&value);
  const auto* boolean = std::get_if<bool>(&value);
  const auto* text = std::get_if<std::string_view>(&value);
  switch (instruction.type) {
    case ColumnType::kInt64:
      if (integer != nullptr) return set(instruction, *integer), Status{};
      break;
    case ColumnType::kFloat64:
      if (integer != nullptr) return set(instruction, static_cast<double>(*integer)), Status{};
      if (number != nullptr) return set(instruction, *number), Status{};
      break;
    case ColumnType::kBool:
      if (boolean != nullptr) return set(instruction, std::uint8_t{*boolean}), Status{};
      break;
    case ColumnType::kString:
      if (text != nullptr) {
        texts_.emplace_back(*text);
        return set(instruction, std::string_view(texts_.back())), Status{};
      }
      break;
  }
  return fail(ErrorCode::kInvalidArgument,
              "A value has another type than its name: " +
                  std::string(rows::to_string(instruction.type)) + " is needed",
              place_of(use));
}

Result<BoundExpr> BoundExpr::bind(CompiledExprRef compiled, const Bindings& bindings) {
  BoundExpr bound(std::move(compiled));
  const Program& program = bound.compiled_->program();
  bound.set_constants();
  std::array<std::uint8_t, 1> marks{};
  Machine machine({.program = program,
                   .values = bound.values_,
                   .registers = bound.registers_,
                   .marks = marks,
                   .tables = {},
                   .pool = bound.pool_.get(),
                   .keys = {}});
  for (const Instruction& instruction : program.bind) {
    if (instruction.opcode == Opcode::kConstant) continue;
    if (instruction.operand_count == 0) {
      MR_TRY_STATUS(bound.set_source(instruction, bindings));
      continue;
    }
    machine.run(instruction, {.count = 1});
    Vector& value = bound.values_[instruction.out];
    if (value.valid != nullptr && *value.valid != 0) value.valid = nullptr;
    if (value.error != nullptr && *value.error == 0) value.error = nullptr;
  }
  return bound;
}

}  // namespace millrace::expr
