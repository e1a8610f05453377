// The operations of the machine that have null and error rules of their own: logic and choices.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "expr/kernels/byte_loops.h"
#include "expr/kernels/kernel.h"
#include "expr/machine/machine.h"
#include "expr/program/program.h"

namespace millrace::expr {

namespace {

constexpr std::uint8_t kOne = 1;
constexpr std::uint8_t kZero = 0;

const std::uint8_t* bytes(const void* data) { return static_cast<const std::uint8_t*>(data); }

// The validity or error bytes of an operand that a choice may take. Without an array, one byte
// applies to all rows.
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

}  // namespace

// Three-valued logic: `and` is false if one side is false, `or` is true if one side is true,
// whatever the other side is; otherwise the result is null if a side is null. An error on the right
// counts only in rows where the left does not decide.
void Machine::run_logic(const Instruction& instruction) {
  const Vector& left = operand(instruction, 0);
  const Vector& right = operand(instruction, 1);
  // The value that decides the result alone.
  const std::uint8_t decider = instruction.opcode == Opcode::kOr ? 1 : 0;
  const auto flip = static_cast<std::uint8_t>(decider ^ 1U);  // turns the decider into 1
  auto* out = reinterpret_cast<std::uint8_t*>(data_of(instruction));
  std::uint8_t* marks = parts_.marks.data();
  const std::size_t count = count_;

  // marks: 1 where the left side decides.
  xor_bytes(bytes(left.data), flip, marks, count);
  if (left.valid != nullptr) and_bytes(left.valid, marks, count);
  // out: 1 where the right side decides.
  xor_bytes(bytes(right.data), flip, out, count);
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
  flip_bytes(flip, out, count);
  parts_.values[instruction.out] = {.data = out, .valid = valid, .error = error};
}

// Makes the operand itself the result. An operand that is one value for all rows is first repeated
// for each row.
void Machine::take_operand(const Instruction& instruction, std::size_t index) {
  const Vector source = operand(instruction, index);
  if (instruction.is_uniform(index)) return spread(instruction, source, count_);
  parts_.values[instruction.out] = source;
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
  if (instruction.is_uniform(0)) {
    const bool is_true = condition.valid == nullptr && *bytes(condition.data) != 0;
    take_operand(instruction, is_true ? 1 : 2);
    return add_errors(instruction, condition, true);
  }
  const Vector& yes = operand(instruction, 1);
  const Vector& no = operand(instruction, 2);
  const bool yes_uniform = instruction.is_uniform(1);
  const bool no_uniform = instruction.is_uniform(2);
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
  const bool first_uniform = instruction.is_uniform(0);
  const bool second_uniform = instruction.is_uniform(1);
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
    // An error of the second operand counts only where the first is null.
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
