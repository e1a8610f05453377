#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "expr/machine/code_table.h"
#include "expr/machine/string_pool.h"
#include "expr/program/program.h"
#include "rows/column.h"
#include "rows/dictionary.h"
#include "rows/row_set.h"
#include "rows/stop_check.h"

namespace millrace::expr {

/// Rows per run of the body: the values of a run stay in the first-level cache.
inline constexpr std::size_t kChunkRows = 1024;

/// What the codes of a string vector mean: a dictionary of a column, or the pool of the evaluation.
struct StringSource {
  const rows::Dictionary* dictionary = nullptr;
  const StringPool* pool = nullptr;

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(dictionary != nullptr ? dictionary->size() : pool->size());
  }
  [[nodiscard]] std::string_view at(std::int32_t code) const {
    return dictionary != nullptr ? dictionary->at(code) : pool->at(code);
  }
};

/// A value during a run: one entry per row of the chunk, or one for all rows where the instruction
/// that made it says so. Entries are laid out as in rows::Column; in the bind stage a string that
/// is one for all rows is a string_view.
///
/// An entry with an error is neither null nor a value: its data is meaningless.
struct Vector {
  const void* data = nullptr;
  const std::uint8_t* valid = nullptr;  ///< 1 per entry that is not null; nullptr if none is
  const std::uint8_t* error = nullptr;  ///< 1 per entry with an error; nullptr if none has one
  StringSource strings{};               ///< what the codes of a string vector mean
};

/// Bytes of one entry in a vector of rows.
[[nodiscard]] std::size_t entry_width_bytes(rows::ColumnType type);

/// Memory for the values of instructions: entries, validity bytes and error bytes of each.
/// Lifetime: borrows the memory.
class Registers {
 public:
  enum class Sharing : std::uint8_t {
    kByRegister,  ///< values share memory as the schedule says
    kByValue,     ///< each value has memory of its own, by its number
  };

  Registers(std::size_t row_capacity, std::size_t entry_bytes, Sharing sharing);

  /// Bytes that `count` registers or values need.
  [[nodiscard]] std::size_t bytes_for(std::size_t count) const { return count * stride_bytes_; }
  /// Must be set before the first access; aligned to 16 bytes.
  void set_memory(std::byte* memory) { memory_ = memory; }

  [[nodiscard]] std::size_t row_capacity() const { return row_capacity_; }
  [[nodiscard]] std::byte* data(const Instruction& instruction) const {
    const std::size_t place =
        sharing_ == Sharing::kByValue ? instruction.out : instruction.register_index;
    return memory_ + place * stride_bytes_;
  }
  [[nodiscard]] std::uint8_t* valid(const Instruction& instruction) const {
    return reinterpret_cast<std::uint8_t*>(data(instruction) + entries_bytes_);
  }
  [[nodiscard]] std::uint8_t* error(const Instruction& instruction) const {
    return valid(instruction) + row_capacity_;
  }

 private:
  std::byte* memory_ = nullptr;
  std::size_t row_capacity_;
  std::size_t entries_bytes_;
  std::size_t stride_bytes_;
  Sharing sharing_;
};

/// A key's column, as the load instruction reads it.
struct KeyColumn {
  const std::byte* data = nullptr;
  const std::uint8_t* valid = nullptr;
  std::size_t width_bytes = 0;
  StringSource strings{};
};

/// Some rows of a batch: from `first` on if there is no index, else those the index names.
struct RowWindow {
  const rows::RowIndex* index = nullptr;
  rows::RowIndex first = 0;
  std::size_t count = 0;
};

/// Runs instructions one by one over vectors. Null and error rules live here; the arithmetic is in
/// the kernels.
/// Threading: not shared. Lifetime: borrows everything it is given.
class Machine {
 public:
  struct Parts {
    const Program& program;
    std::span<Vector> values;  ///< by ValueId
    Registers registers;
    std::span<std::uint8_t> marks;  ///< as long as a register has rows
    std::span<CodeTable> tables;
    StringPool* pool = nullptr;
    std::span<const KeyColumn> keys;  ///< by name index; those of other names are empty
    /// Asked between long texts; null: never. After a stop the values are meaningless.
    const rows::StopCheck* stop = nullptr;
  };

  explicit Machine(const Parts& parts) : parts_(parts) {}

  /// Sends the entries of one value to `data` instead of its register.
  void redirect(ValueId value, std::byte* data) {
    redirected_ = value;
    redirected_data_ = data;
  }

  /// Runs an instruction of the body over rows, or one of the bind stage that has operands, with a
  /// window of one row.
  void run(const Instruction& instruction, const RowWindow& window);
  /// Whether a stop was seen: the values are meaningless then.
  [[nodiscard]] bool is_stopped() const { return is_stopped_; }
  /// Runs an instruction of the prologue.
  void run_prologue(const Instruction& instruction);

 private:
  [[nodiscard]] const Vector& operand(const Instruction& instruction, std::size_t index) const {
    return parts_.values[instruction.in[index]];
  }
  [[nodiscard]] std::byte* data_of(const Instruction& instruction) const;
  [[nodiscard]] KernelCall call_of(const Instruction& instruction) const;
  [[nodiscard]] const std::uint8_t* combine_valid(const Instruction& instruction) const;
  [[nodiscard]] const std::uint8_t* combine_error(const Instruction& instruction) const;

  void load(const Instruction& instruction, const RowWindow& window);
  void run_strict(const Instruction& instruction);
  void note_exceptions(const Instruction& instruction, const KernelCall& call, Vector& out);
  void run_predicate(const Instruction& instruction);
  void clear_nulls(const Instruction& instruction, std::uint8_t* data) const;
  void run_in_set(const Instruction& instruction);
  void run_is_null(const Instruction& instruction);
  void spread(const Instruction& instruction, const Vector& source, std::size_t count);

  // Logic and choices; defined in machine_choice.cpp.
  void run_logic(const Instruction& instruction);
  void run_if(const Instruction& instruction);
  void run_coalesce(const Instruction& instruction);
  void take_operand(const Instruction& instruction, std::size_t index);
  void add_errors(const Instruction& instruction, const Vector& source, bool is_uniform);

  // Strings; defined in machine_strings.cpp.
  void run_string(const Instruction& instruction);
  void run_bound_string(const Instruction& instruction);
  void run_string_predicate(const Instruction& instruction, std::uint8_t* out);
  [[nodiscard]] bool test(const Instruction& instruction,
                          std::string_view left,
                          std::string_view right);
  [[nodiscard]] bool has_part(std::string_view text, std::string_view part);
  /// Notes that a text of that many bytes is read next. False: the work should stop.
  [[nodiscard]] bool go_on(std::size_t text_bytes);
  void mark_too_long(const Instruction& instruction, std::uint8_t* data, Vector& out);
  template <class T, class F>
  void by_code(const Instruction& instruction, const Vector& strings, T* out, F compute);

  Parts parts_;
  std::size_t count_ = 0;
  std::size_t text_bytes_ = 0;  // read since the last look at the stop
  bool is_stopped_ = false;
  ValueId redirected_ = static_cast<ValueId>(-1);
  std::byte* redirected_data_ = nullptr;
};

}  // namespace millrace::expr
