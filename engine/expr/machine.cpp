#include "expr/machine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/check.h"
#include "expr/byte_loops.h"
#include "expr/kernel.h"
#include "rows/column.h"
#include "rows/row_set.h"

namespace millrace::expr {

namespace {

using rows::ColumnType;

constexpr std::uint8_t kOne = 1;
constexpr std::uint8_t kZero = 0;

bool is_uniform(const Instruction& instruction, std::size_t index) {
  return ((instruction.uniform >> index) & 1U) != 0;
}

const std::uint8_t* bytes(const void* data) { return static_cast<const std::uint8_t*>(data); }

template <class T>
void gather(const void* source, const RowWindow& window, void* __restrict out) {
  const auto* from = static_cast<const T*>(source);
  auto* to = static_cast<T*>(out);
  for (std::size_t i = 0; i < window.count; ++i) to[i] = from[window.index[i]];
}

void gather_entries(const void* source,
                    std::size_t width_bytes,
                    const RowWindow& window,
                    void* out) {
  switch (width_bytes) {
    case 1:
      return gather<std::uint8_t>(source, window, out);
    case 4:
      return gather<std::uint32_t>(source, window, out);
    default:
      return gather<std::uint64_t>(source, window, out);
  }
}

template <class T>
void fill(const void* value, std::size_t count, void* out) {
  std::fill_n(static_cast<T*>(out), count, *static_cast<const T*>(value));
}

void fill_entries(const void* value, std::size_t width_bytes, std::size_t count, void* out) {
  switch (width_bytes) {
    case 1:
      return fill<std::uint8_t>(value, count, out);
    case 4:
      return fill<std::uint32_t>(value, count, out);
    default:
      return fill<std::uint64_t>(value, count, out);
  }
}

// Bytes of the operand a choice may take; without an array, one byte stands for all rows.
struct ByteChoice {
  const std::uint8_t* bytes;
  bool is_uniform;
};

ByteChoice byte_choice(const std::uint8_t* array, bool is_uniform, const std::uint8_t& absent) {
  if (array == nullptr) return {&absent, true};
  return {array, is_uniform};
}

void choose_bytes(const std::uint8_t* choice,
                  ByteChoice yes,
                  ByteChoice no,
                  std::size_t count,
                  std::uint8_t* out) {
  const auto uniform =
      static_cast<UniformMask>((yes.is_uniform ? 2U : 0U) | (no.is_uniform ? 4U : 0U));
  choose_kernel(1, uniform)
      .values({.in = {choice, yes.bytes, no.bytes}, .out = out, .count = count});
}

// Division by zero is null; every other exception is overflow, an error of the row.
bool gives_null(Opcode opcode) { return opcode == Opcode::kDivide || opcode == Opcode::kModulo; }

bool is_comparison(Opcode opcode) {
  switch (opcode) {
    case Opcode::kEqual:
    case Opcode::kNotEqual:
    case Opcode::kLess:
    case Opcode::kLessEqual:
    case Opcode::kGreater:
    case Opcode::kGreaterEqual:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::size_t entry_width_bytes(ColumnType type) {
  switch (type) {
    case ColumnType::kBool:
      return sizeof(std::uint8_t);
    case ColumnType::kString:
      return sizeof(std::int32_t);
    case ColumnType::kInt64:
    case ColumnType::kFloat64:
      break;
  }
  return sizeof(std::int64_t);
}

std::size_t Registers::stride_bytes() const {
  constexpr std::size_t kAlignment = 16;
  const std::size_t bytes = row_capacity * (entry_bytes + 2);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::byte* Registers::data(const Instruction& instruction) const {
  const std::size_t place = one_per_value ? instruction.out : instruction.register_index;
  return base + place * stride_bytes();
}

std::uint8_t* Registers::valid(const Instruction& instruction) const {
  return reinterpret_cast<std::uint8_t*>(data(instruction) + row_capacity * entry_bytes);
}

std::uint8_t* Registers::error(const Instruction& instruction) const {
  return valid(instruction) + row_capacity;
}

std::byte* Machine::data_of(const Instruction& instruction) const {
  if (instruction.out == redirected_) return redirected_data_;
  return parts_.registers.data(instruction);
}

KernelCall Machine::call_of(const Instruction& instruction) const {
  KernelCall call{.out = data_of(instruction), .count = count_};
  for (std::size_t i = 0; i < instruction.operand_count; ++i) {
    call.in[i] = operand(instruction, i).data;
  }
  return call;
}

void Machine::run(const Instruction& instruction, const RowWindow& window) {
  count_ = window.count;
  switch (instruction.opcode) {
    case Opcode::kLoad:
      return load(instruction, window);
    case Opcode::kIsNull:
      return run_is_null(instruction);
    case Opcode::kAnd:
    case Opcode::kOr:
      return run_logic(instruction);
    case Opcode::kIf:
      return run_if(instruction);
    case Opcode::kCoalesce:
      return run_coalesce(instruction);
    default:
      break;
  }
  if (instruction.type == ColumnType::kString) return run_string(instruction);
  if (instruction.opcode == Opcode::kInSet) return run_in_set(instruction);
  if (is_comparison(instruction.opcode)) return run_predicate(instruction);
  run_strict(instruction);
}

void Machine::run_prologue(const Instruction& instruction) {
  const Vector& source = operand(instruction, 0);
  Vector& out = parts_.values[instruction.out];
  out = {.data = parts_.registers.data(instruction), .valid = source.valid, .error = source.error};
  if (instruction.opcode == Opcode::kIntern) {
    std::int32_t code = 0;
    if (source.valid == nullptr) {
      code = parts_.pool->add(*static_cast<const std::string_view*>(source.data));
    }
    std::memcpy(parts_.registers.data(instruction), &code, sizeof(code));
    out.strings = {.pool = parts_.pool};
    return;
  }
  const std::size_t count = parts_.registers.row_capacity;
  fill_entries(
      source.data, entry_width_bytes(instruction.type), count, parts_.registers.data(instruction));
  if (source.valid != nullptr) {
    std::memset(parts_.registers.valid(instruction), 0, count);
    out.valid = parts_.registers.valid(instruction);
  }
  if (source.error != nullptr) {
    std::memset(parts_.registers.error(instruction), 1, count);
    out.error = parts_.registers.error(instruction);
  }
}

void Machine::load(const Instruction& instruction, const RowWindow& window) {
  const KeyColumn& key = parts_.keys[instruction.extra];
  Vector& out = parts_.values[instruction.out];
  out = {.strings = key.strings};
  if (window.index == nullptr) {
    out.data = key.data + window.first * key.width_bytes;
    if (key.valid != nullptr) out.valid = key.valid + window.first;
    return;
  }
  std::byte* data = data_of(instruction);
  gather_entries(key.data, key.width_bytes, window, data);
  out.data = data;
  if (key.valid == nullptr) return;
  std::uint8_t* valid = parts_.registers.valid(instruction);
  gather<std::uint8_t>(key.valid, window, valid);
  out.valid = valid;
}

const std::uint8_t* Machine::combine_valid(const Instruction& instruction) const {
  std::uint8_t* out = parts_.registers.valid(instruction);
  bool has_nulls = false;
  for (std::size_t i = 0; i < instruction.operand_count; ++i) {
    const std::uint8_t* valid = operand(instruction, i).valid;
    if (valid == nullptr) continue;
    if (is_uniform(instruction, i)) {
      std::memset(out, 0, count_);
      return out;
    }
    if (has_nulls) {
      and_bytes(valid, out, count_);
    } else {
      std::memcpy(out, valid, count_);
    }
    has_nulls = true;
  }
  return has_nulls ? out : nullptr;
}

const std::uint8_t* Machine::combine_error(const Instruction& instruction) const {
  std::uint8_t* out = parts_.registers.error(instruction);
  bool has_errors = false;
  for (std::size_t i = 0; i < instruction.operand_count; ++i) {
    const std::uint8_t* error = operand(instruction, i).error;
    if (error == nullptr) continue;
    if (is_uniform(instruction, i)) {
      std::memset(out, 1, count_);
      return out;
    }
    if (has_errors) {
      or_bytes(error, out, count_);
    } else {
      std::memcpy(out, error, count_);
    }
    has_errors = true;
  }
  return has_errors ? out : nullptr;
}

void Machine::run_strict(const Instruction& instruction) {
  Vector& out = parts_.values[instruction.out];
  const KernelCall call = call_of(instruction);
  out = {
      .data = call.out, .valid = combine_valid(instruction), .error = combine_error(instruction)};
  if (instruction.kernel.values(call)) note_exceptions(instruction, call, out);
}

void Machine::note_exceptions(const Instruction& instruction, const KernelCall& call, Vector& out) {
  std::uint8_t* marks = parts_.marks.data();
  instruction.kernel.mark(call, marks);
  // What stands under a null may be anything, so it may overflow too.
  if (out.valid != nullptr) and_bytes(out.valid, marks, count_);
  if (!any_byte(marks, count_)) return;
  if (gives_null(instruction.opcode)) {
    std::uint8_t* valid = parts_.registers.valid(instruction);
    if (out.valid == nullptr) std::memset(valid, 1, count_);
    and_not_bytes(marks, valid, count_);
    out.valid = valid;
    return;
  }
  std::uint8_t* error = parts_.registers.error(instruction);
  if (out.error == nullptr) std::memset(error, 0, count_);
  or_bytes(marks, error, count_);
  out.error = error;
}

void Machine::run_predicate(const Instruction& instruction) {
  const KernelCall call = call_of(instruction);
  instruction.kernel.values(call);
  clear_nulls(instruction, static_cast<std::uint8_t*>(call.out));
  parts_.values[instruction.out] = {.data = call.out, .error = combine_error(instruction)};
}

void Machine::clear_nulls(const Instruction& instruction, std::uint8_t* data) const {
  for (std::size_t i = 0; i < instruction.operand_count; ++i) {
    const std::uint8_t* valid = operand(instruction, i).valid;
    if (valid == nullptr) continue;
    if (is_uniform(instruction, i)) {
      std::memset(data, 0, count_);
    } else {
      and_bytes(valid, data, count_);
    }
  }
}

void Machine::run_in_set(const Instruction& instruction) {
  auto* out = reinterpret_cast<std::uint8_t*>(data_of(instruction));
  const void* data = operand(instruction, 0).data;
  if (instruction.type == ColumnType::kInt64) {
    parts_.program.int_sets[instruction.extra].test(
        {static_cast<const std::int64_t*>(data), count_}, out);
  } else if (instruction.type == ColumnType::kFloat64) {
    parts_.program.float_sets[instruction.extra].test({static_cast<const double*>(data), count_},
                                                      out);
  } else {
    std::memset(out, 0, count_);  // only an empty list of bools becomes a set
  }
  clear_nulls(instruction, out);
  parts_.values[instruction.out] = {.data = out, .error = combine_error(instruction)};
}

void Machine::run_is_null(const Instruction& instruction) {
  const Vector& source = operand(instruction, 0);
  auto* out = reinterpret_cast<std::uint8_t*>(data_of(instruction));
  if (source.valid == nullptr) {
    std::memset(out, 0, count_);
  } else {
    invert_bytes(source.valid, out, count_);
  }
  parts_.values[instruction.out] = {.data = out, .error = combine_error(instruction)};
}

// Three-valued: `and` is false as soon as one side is, `or` true as soon as one side is, whatever
// the other; else null if a side is null. An error on the right counts only where the left does not
// decide.
void Machine::run_logic(const Instruction& instruction) {
  const Vector& left = operand(instruction, 0);
  const Vector& right = operand(instruction, 1);
  // `decider` is the value that settles the result alone.
  const std::uint8_t decider = instruction.opcode == Opcode::kOr ? 1 : 0;
  const auto flip = static_cast<std::uint8_t>(decider ^ 1U);  // turns the decider into 1
  auto* __restrict out = reinterpret_cast<std::uint8_t*>(data_of(instruction));
  std::uint8_t* __restrict marks = parts_.marks.data();
  const std::size_t count = count_;

  // marks: the left side decides.
  for (std::size_t i = 0; i < count; ++i) marks[i] = bytes(left.data)[i] ^ flip;
  if (left.valid != nullptr) and_bytes(left.valid, marks, count);
  // out: the right side decides.
  for (std::size_t i = 0; i < count; ++i) out[i] = bytes(right.data)[i] ^ flip;
  if (right.valid != nullptr) and_bytes(right.valid, out, count);

  const std::uint8_t* error = nullptr;
  if (left.error != nullptr || right.error != nullptr) {
    std::uint8_t* errors = parts_.registers.error(instruction);
    if (right.error == nullptr) {
      std::memset(errors, 0, count);
    } else {
      std::memcpy(errors, right.error, count);
      and_not_bytes(marks, errors, count);
    }
    if (left.error != nullptr) or_bytes(left.error, errors, count);
    error = errors;
  }
  or_bytes(marks, out, count);  // either side decides
  const std::uint8_t* valid = nullptr;
  if (left.valid != nullptr || right.valid != nullptr) {
    std::uint8_t* valids = parts_.registers.valid(instruction);
    std::memset(valids, 1, count);
    if (left.valid != nullptr) and_bytes(left.valid, valids, count);
    if (right.valid != nullptr) and_bytes(right.valid, valids, count);
    or_bytes(out, valids, count);
    valid = valids;
  }
  for (std::size_t i = 0; i < count; ++i) out[i] ^= flip;
  parts_.values[instruction.out] = {.data = out, .valid = valid, .error = error};
}

// Makes the operand itself the result; one value for all rows is spread over them.
void Machine::take_operand(const Instruction& instruction, std::size_t index) {
  const Vector source = operand(instruction, index);
  Vector& out = parts_.values[instruction.out];
  out = source;
  if (!is_uniform(instruction, index)) return;
  std::byte* data = data_of(instruction);
  fill_entries(source.data, entry_width_bytes(instruction.type), count_, data);
  out.data = data;
  if (source.valid != nullptr) {
    std::memset(parts_.registers.valid(instruction), 0, count_);
    out.valid = parts_.registers.valid(instruction);
  }
  if (source.error != nullptr) {
    std::memset(parts_.registers.error(instruction), 1, count_);
    out.error = parts_.registers.error(instruction);
  }
}

// Adds the errors of an operand to those of the result.
void Machine::add_errors(const Instruction& instruction, const Vector& source, bool is_uniform) {
  if (source.error == nullptr) return;
  Vector& out = parts_.values[instruction.out];
  std::uint8_t* errors = parts_.registers.error(instruction);
  if (is_uniform) {
    std::memset(errors, 1, count_);
  } else if (out.error == nullptr) {
    std::memcpy(errors, source.error, count_);
  } else {
    if (out.error != errors) std::memcpy(errors, out.error, count_);
    or_bytes(source.error, errors, count_);
  }
  out.error = errors;
}

void Machine::run_if(const Instruction& instruction) {
  const Vector condition = operand(instruction, 0);
  if (is_uniform(instruction, 0)) {
    const bool is_true = condition.valid == nullptr && *bytes(condition.data) != 0;
    take_operand(instruction, is_true ? 1 : 2);
    return add_errors(instruction, condition, true);
  }
  const Vector& yes = operand(instruction, 1);
  const Vector& no = operand(instruction, 2);
  const bool yes_uniform = is_uniform(instruction, 1);
  const bool no_uniform = is_uniform(instruction, 2);
  const std::uint8_t* choice = bytes(condition.data);
  if (condition.valid != nullptr) {
    std::memcpy(parts_.marks.data(), choice, count_);
    and_bytes(condition.valid, parts_.marks.data(), count_);
    choice = parts_.marks.data();
  }
  KernelCall call = call_of(instruction);
  call.in[0] = choice;
  instruction.kernel.values(call);
  Vector out{.data = call.out, .strings = {.pool = parts_.pool}};
  if (yes.valid != nullptr || no.valid != nullptr) {
    std::uint8_t* valid = parts_.registers.valid(instruction);
    choose_bytes(choice,
                 byte_choice(yes.valid, yes_uniform, kOne),
                 byte_choice(no.valid, no_uniform, kOne),
                 count_,
                 valid);
    out.valid = valid;
  }
  if (yes.error != nullptr || no.error != nullptr) {
    std::uint8_t* error = parts_.registers.error(instruction);
    choose_bytes(choice,
                 byte_choice(yes.error, yes_uniform, kZero),
                 byte_choice(no.error, no_uniform, kZero),
                 count_,
                 error);
    out.error = error;
  }
  parts_.values[instruction.out] = out;
  add_errors(instruction, condition, false);
}

void Machine::run_coalesce(const Instruction& instruction) {
  const Vector first = operand(instruction, 0);
  const Vector second = operand(instruction, 1);
  const bool first_uniform = is_uniform(instruction, 0);
  const bool second_uniform = is_uniform(instruction, 1);
  if (first.valid == nullptr) return take_operand(instruction, 0);
  if (first_uniform) {
    take_operand(instruction, 1);
    return add_errors(instruction, first, true);
  }
  KernelCall call{
      .in = {first.valid, first.data, second.data}, .out = data_of(instruction), .count = count_};
  instruction.kernel.values(call);
  Vector out{.data = call.out, .strings = {.pool = parts_.pool}};
  if (second.valid != nullptr) {
    std::uint8_t* valid = parts_.registers.valid(instruction);
    std::memcpy(valid, first.valid, count_);
    if (!second_uniform) or_bytes(second.valid, valid, count_);
    out.valid = valid;
  }
  if (second.error != nullptr) {
    // An error of the second counts only where the first is null.
    std::uint8_t* error = parts_.registers.error(instruction);
    choose_bytes(first.valid,
                 {&kZero, true},
                 byte_choice(second.error, second_uniform, kZero),
                 count_,
                 error);
    out.error = error;
  }
  parts_.values[instruction.out] = out;
  add_errors(instruction, first, false);
}

}  // namespace millrace::expr
