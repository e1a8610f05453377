#include "expr/machine/machine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/check.h"
#include "expr/kernels/byte_loops.h"
#include "expr/kernels/kernel.h"
#include "rows/column.h"
#include "rows/row_set.h"

namespace millrace::expr {

namespace {

using rows::ColumnType;

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

Registers::Registers(std::size_t row_capacity, std::size_t entry_bytes, Sharing sharing)
    : row_capacity_(row_capacity),
      entries_bytes_(row_capacity * entry_bytes),
      stride_bytes_(entries_bytes_ + 2 * row_capacity),
      sharing_(sharing) {
  constexpr std::size_t kAlignment = 16;
  stride_bytes_ = (stride_bytes_ + kAlignment - 1) / kAlignment * kAlignment;
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
  const Vector source = operand(instruction, 0);
  if (instruction.opcode == Opcode::kSplat) {
    return spread(instruction, source, parts_.registers.row_capacity());
  }
  std::int32_t code = 0;
  if (source.valid == nullptr) {
    code = parts_.pool->add(*static_cast<const std::string_view*>(source.data));
  }
  std::byte* data = parts_.registers.data(instruction);
  std::memcpy(data, &code, sizeof(code));
  parts_.values[instruction.out] = {
      .data = data, .valid = source.valid, .error = source.error, .strings = {.pool = parts_.pool}};
}

// Repeats one value for `count` rows.
void Machine::spread(const Instruction& instruction, const Vector& source, std::size_t count) {
  std::byte* data = data_of(instruction);
  fill_entries(source.data, entry_width_bytes(instruction.type), count, data);
  Vector out{.data = data, .strings = source.strings};
  if (source.valid != nullptr) {
    std::memset(parts_.registers.valid(instruction), 0, count);
    out.valid = parts_.registers.valid(instruction);
  }
  if (source.error != nullptr) {
    std::memset(parts_.registers.error(instruction), 1, count);
    out.error = parts_.registers.error(instruction);
  }
  parts_.values[instruction.out] = out;
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
    if (instruction.is_uniform(i)) {
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
    if (instruction.is_uniform(i)) {
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
  // The value stored for a null is unspecified, so its overflow is no error.
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
    if (instruction.is_uniform(i)) {
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
    std::memset(out, 0, count_);  // of bools, only an empty list becomes a set
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
    xor_bytes(source.valid, 1, out, count_);
  }
  parts_.values[instruction.out] = {.data = out, .error = combine_error(instruction)};
}

}  // namespace millrace::expr
