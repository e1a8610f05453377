// The string operations of the machine. An operation that reads one string per row is computed once
// per distinct code and looked up for the rows; only comparisons of two columns work row by row.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "expr/kernels/hash.h"
#include "expr/machine/code_table.h"
#include "expr/machine/machine.h"
#include "expr/machine/text_functions.h"
#include "expr/program/program.h"

namespace millrace::expr {

namespace {

const std::int32_t* codes(const Vector& vector) {
  return static_cast<const std::int32_t*>(vector.data);
}

std::string_view text(const Vector& bound) {
  return bound.valid == nullptr ? *static_cast<const std::string_view*>(bound.data)
                                : std::string_view();
}

// Bytes of text between two looks at the stop.
constexpr std::size_t kStopCheckTextBytes = 16UL << 10;
// Steps of a regex that take about as long as another operator takes for a byte.
constexpr std::size_t kStepsPerByte = 16;
// What a match gives for a text that is too long.
constexpr std::uint8_t kTooLong = 2;

void compare_codes(const std::int32_t* left,
                   std::int32_t right,
                   std::size_t count,
                   std::uint8_t* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = left[i] == right ? 1 : 0;
}

}  // namespace

// Says whether a text has a part, in time that grows with the sum of their sizes, because both may
// come from outside. It searches one window of the text after the other and looks at the stop
// before each. A window is as long as the part at least, so that all of them together have at most
// twice the bytes of the text.
bool Machine::has_part(std::string_view text, std::string_view part) {
  if (part.empty()) return true;
  const std::size_t step = std::max(kStopCheckTextBytes, part.size());
  for (std::size_t begin = 0; begin + part.size() <= text.size(); begin += step) {
    const std::string_view window = text.substr(begin, step + part.size() - 1);
    if (!go_on(window.size())) return false;
    if (memmem(window.data(), window.size(), part.data(), part.size()) != nullptr) return true;
  }
  return false;
}

bool Machine::test(const Instruction& instruction, std::string_view left, std::string_view right) {
  switch (instruction.opcode) {
    case Opcode::kEqual:
      return left == right;
    case Opcode::kNotEqual:
      return left != right;
    case Opcode::kLess:
      return left < right;
    case Opcode::kLessEqual:
      return left <= right;
    case Opcode::kGreater:
      return left > right;
    case Opcode::kGreaterEqual:
      return left >= right;
    case Opcode::kContains:
      return has_part(left, right);
    case Opcode::kStartsWith:
      return left.starts_with(right);
    case Opcode::kMatch:
      return parts_.program.regexes[instruction.extra].matches(left);
    case Opcode::kInSet:
      return parts_.program.string_sets[instruction.extra].contains(left);
    default:
      break;
  }
  MR_CHECK(false, static_cast<int>(instruction.opcode));
  return false;
}

template <class T, class F>
void Machine::by_code(const Instruction& instruction, const Vector& strings, T* out, F compute) {
  CodeTable& table = parts_.tables[instruction.table_index];
  const std::size_t code_count = strings.strings.size();
  table.reserve(code_count);
  if (table.look_up(codes(strings), count_, out)) return;
  for (std::size_t i = 0; i < count_; ++i) {
    const std::int32_t code = codes(strings)[i];
    if (table.knows(code)) continue;
    // If the dictionary is empty, every row is null and its code is meaningless.
    const std::string_view value = code_count == 0 ? "" : strings.strings.at(code);
    const bool is_wanted = code_count != 0 && go_on(value.size());
    table.set<T>(code, is_wanted ? compute(value) : T{});
  }
  const bool all_known = table.look_up(codes(strings), count_, out);
  MR_DCHECK(all_known);
  static_cast<void>(all_known);
}

bool Machine::go_on(std::size_t text_bytes) {
  text_bytes_ += text_bytes;
  if (text_bytes_ < kStopCheckTextBytes || parts_.stop == nullptr) [[likely]]
    return true;
  is_stopped_ = is_stopped_ || parts_.stop->stop_requested();
  // After a stop the count stays, so that every later text is left out.
  if (!is_stopped_) text_bytes_ = 0;
  return !is_stopped_;
}

// Makes errors of the rows whose text was too long for the regex.
void Machine::mark_too_long(const Instruction& instruction, std::uint8_t* data, Vector& out) {
  if (std::find(data, data + count_, kTooLong) == data + count_) return;
  std::uint8_t* error = parts_.registers.error(instruction);
  if (out.error == nullptr) std::memset(error, 0, count_);
  for (std::size_t i = 0; i < count_; ++i) {
    if (data[i] != kTooLong) continue;
    data[i] = 0;
    error[i] = 1;
  }
  out.error = error;
}

void Machine::run_string_predicate(const Instruction& instruction, std::uint8_t* out) {
  const Vector& left = operand(instruction, 0);
  const Vector& right = operand(instruction, instruction.operand_count - 1);
  if (instruction.opcode == Opcode::kMatch) {
    const Regex& regex = parts_.program.regexes[instruction.extra];
    return by_code<std::uint8_t>(instruction, left, out, [&](std::string_view value) {
      if (regex.is_too_long(value)) return kTooLong;
      // A byte takes many steps where the pattern is long.
      return std::uint8_t{go_on(value.size() * regex.step_count() / kStepsPerByte) &&
                          regex.matches(value)};
    });
  }
  if (instruction.operand_count == 1) {
    return by_code<std::uint8_t>(instruction, left, out, [&](std::string_view value) {
      return std::uint8_t{test(instruction, value, {})};
    });
  }
  if (instruction.is_uniform(1)) {
    if (instruction.opcode == Opcode::kEqual && left.strings.dictionary != nullptr) {
      const std::optional<std::int32_t> code = left.strings.dictionary->find_code(text(right));
      return compare_codes(codes(left), code.value_or(-1), count_, out);
    }
    return by_code<std::uint8_t>(instruction, left, out, [&](std::string_view value) {
      return std::uint8_t{test(instruction, value, text(right))};
    });
  }
  if (instruction.is_uniform(0)) {
    return by_code<std::uint8_t>(instruction, right, out, [&](std::string_view value) {
      return std::uint8_t{test(instruction, text(left), value)};
    });
  }
  const bool left_empty = left.strings.size() == 0;
  const bool right_empty = right.strings.size() == 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const std::string_view a = left_empty ? "" : left.strings.at(codes(left)[i]);
    const std::string_view b = right_empty ? "" : right.strings.at(codes(right)[i]);
    out[i] = go_on(a.size() + b.size()) && test(instruction, a, b) ? 1 : 0;
  }
}

void Machine::run_string(const Instruction& instruction) {
  if (instruction.stage == Stage::kBind) return run_bound_string(instruction);
  std::byte* data = data_of(instruction);
  Vector out{.data = data};
  switch (instruction.opcode) {
    case Opcode::kIntern:
      by_code<std::int32_t>(instruction,
                            operand(instruction, 0),
                            reinterpret_cast<std::int32_t*>(data),
                            [&](std::string_view value) { return parts_.pool->add(value); });
      out.strings = {.pool = parts_.pool};
      break;
    case Opcode::kLower:
      by_code<std::int32_t>(
          instruction,
          operand(instruction, 0),
          reinterpret_cast<std::int32_t*>(data),
          [&](std::string_view value) { return parts_.pool->add_owned(text_lower(value)); });
      out.strings = {.pool = parts_.pool};
      break;
    case Opcode::kLength:
      by_code<std::int64_t>(
          instruction, operand(instruction, 0), reinterpret_cast<std::int64_t*>(data), text_length);
      break;
    case Opcode::kHash:
      by_code<std::int64_t>(
          instruction, operand(instruction, 0), reinterpret_cast<std::int64_t*>(data), hash_text);
      break;
    default:
      run_string_predicate(instruction, reinterpret_cast<std::uint8_t*>(data));
      clear_nulls(instruction, reinterpret_cast<std::uint8_t*>(data));
      out.error = combine_error(instruction);
      if (instruction.opcode == Opcode::kMatch)
        mark_too_long(instruction, reinterpret_cast<std::uint8_t*>(data), out);
      parts_.values[instruction.out] = out;
      return;
  }
  out.valid = combine_valid(instruction);
  out.error = combine_error(instruction);
  parts_.values[instruction.out] = out;
}

void Machine::run_bound_string(const Instruction& instruction) {
  std::byte* data = data_of(instruction);
  Vector& out = parts_.values[instruction.out];
  out = {.data = data, .valid = combine_valid(instruction), .error = combine_error(instruction)};
  const std::string_view left = text(operand(instruction, 0));
  const auto store = [&](auto value) { std::memcpy(data, &value, sizeof(value)); };
  switch (instruction.opcode) {
    case Opcode::kLower: {
      const std::int32_t code = parts_.pool->add_owned(text_lower(left));
      return store(parts_.pool->at(code));
    }
    case Opcode::kLength:
      return store(text_length(left));
    case Opcode::kHash:
      return store(hash_text(left));
    default:
      break;
  }
  if (instruction.opcode == Opcode::kMatch &&
      parts_.program.regexes[instruction.extra].is_too_long(left)) {
    std::uint8_t* error = parts_.registers.error(instruction);
    *error = 1;
    out.error = error;
    out.valid = nullptr;
    return store(std::uint8_t{0});
  }
  const std::string_view right = text(operand(instruction, instruction.operand_count - 1));
  store(std::uint8_t{test(instruction, left, right)});
  clear_nulls(instruction, reinterpret_cast<std::uint8_t*>(data));
  out.valid = nullptr;
}

}  // namespace millrace::expr
