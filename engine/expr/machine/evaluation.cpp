#include "expr/machine/evaluation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "expr/machine/machine.h"
#include "expr/program/program.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/dictionary.h"

namespace millrace::expr {

namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;
using rows::ColumnType;

constexpr std::size_t kEntryBytes = 8;
// The memory of a table with more codes than this is freed after the evaluation.
constexpr std::size_t kRetainedCodesMax = std::size_t{1} << 20U;

KeyColumn key_column(const rows::Column& column) {
  KeyColumn key{.valid = column.has_nulls() ? column.validity().data() : nullptr,
                .width_bytes = entry_width_bytes(column.type())};
  const auto bytes = [](auto span) { return reinterpret_cast<const std::byte*>(span.data()); };
  switch (column.type()) {
    case ColumnType::kInt64:
      key.data = bytes(column.int64s());
      break;
    case ColumnType::kFloat64:
      key.data = bytes(column.float64s());
      break;
    case ColumnType::kBool:
      key.data = bytes(column.bools());
      break;
    case ColumnType::kString:
      key.data = bytes(column.codes());
      key.strings = {.dictionary = column.dictionary().get()};
      break;
  }
  return key;
}

std::string_view overflow_symbol(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return "+";
    case Opcode::kMultiply:
      return "*";
    case Opcode::kAbs:
      return "abs";
    default:
      return "-";
  }
}

bool has_error(const Vector& vector) { return vector.error != nullptr && *vector.error != 0; }

}  // namespace

Evaluation::Evaluation(const BoundExpr& bound, const rows::RowSet& rows, EvalScratch& scratch)
    : bound_(&bound), rows_(&rows), scratch_(&scratch) {}

Evaluation::Evaluation(Evaluation&& other) noexcept
    : bound_(other.bound_),
      rows_(other.rows_),
      scratch_(std::exchange(other.scratch_, nullptr)),
      machine_(other.machine_) {}

Evaluation::~Evaluation() {
  if (scratch_ == nullptr) return;
  scratch_->pool_.clear();
  for (CodeTable& table : scratch_->tables_) table.trim(kRetainedCodesMax);
}

Result<Evaluation> Evaluation::start(const BoundExpr& bound,
                                     const rows::RowSet& rows,
                                     EvalScratch& scratch) {
  Evaluation evaluation(bound, rows, scratch);
  MR_TRY_STATUS(evaluation.find_columns());
  evaluation.prepare();
  return evaluation;
}

Status Evaluation::find_columns() {
  const std::span<const NameUse> names = bound_->compiled().names();
  scratch_->keys_.assign(names.size(), {});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].source != NameSource::kKey) continue;
    MR_TRY(const rows::Column* column, rows_->batch()->get_column(names[i].name, "expression"));
    if (column->type() != names[i].info.type) {
      return fail(ErrorCode::kInvalidArgument,
                  "A column has another type than its key: " +
                      std::string(rows::to_string(column->type())) + " instead of " +
                      std::string(rows::to_string(names[i].info.type)),
                  names[i].name);
    }
    scratch_->keys_[i] = key_column(*column);
  }
  return {};
}

void Evaluation::prepare() {
  const Program& program = bound_->compiled().program();
  EvalScratch& scratch = *scratch_;
  const std::span<const Vector> bound_values = bound_->values();
  if (scratch.values_.size() < program.value_count()) scratch.values_.resize(program.value_count());
  std::ranges::copy(bound_values, scratch.values_.begin());
  if (scratch.tables_.size() < program.table_count) scratch.tables_.resize(program.table_count);
  for (std::size_t i = 0; i < program.table_count; ++i) scratch.tables_[i].start(1);
  Registers registers(kChunkRows, kEntryBytes, Registers::Sharing::kByRegister);
  const std::size_t register_bytes = registers.bytes_for(program.register_count);
  if (scratch.registers_.size() < register_bytes) {
    scratch.registers_ = scratch.rows_.make_array<std::byte>(register_bytes);
  }
  if (scratch.marks_.empty()) scratch.marks_ = scratch.rows_.make_array<std::uint8_t>(kChunkRows);
  registers.set_memory(scratch.registers_.data());
  machine_.emplace(Machine::Parts{.program = program,
                                  .values = scratch.values_,
                                  .registers = registers,
                                  .marks = scratch.marks_.span(),
                                  .tables = scratch.tables_,
                                  .pool = &scratch.pool_,
                                  .keys = scratch.keys_,
                                  .stop = &scratch.rows_.stop()});
  for (const Instruction& instruction : program.prologue) machine_->run_prologue(instruction);
}

bool Evaluation::is_uniform() const { return bound_->compiled().program().body.empty(); }

const Vector& Evaluation::uniform_result() const {
  return bound_->values()[bound_->compiled().program().root];
}

RowWindow Evaluation::window_at(std::size_t position) const {
  const std::size_t count = std::min(kChunkRows, rows_->size() - position);
  if (rows_->is_dense()) {
    return {.first = rows_->first_row() + static_cast<rows::RowIndex>(position), .count = count};
  }
  return {.index = rows_->indices().data() + position, .count = count};
}

const Vector& Evaluation::run(const RowWindow& window, std::byte* target) {
  const Program& program = bound_->compiled().program();
  if (target != nullptr) machine_->redirect(program.root, target);
  for (const Instruction& instruction : program.body) machine_->run(instruction, window);
  return scratch_->values_[program.root];
}

std::optional<std::size_t> Evaluation::select(const RowWindow& window,
                                              rows::RowIndex* out,
                                              const Vector*& result) {
  const Program& program = bound_->compiled().program();
  const Instruction& last = program.body.back();
  for (const Instruction& instruction : std::span(program.body).first(program.body.size() - 1)) {
    machine_->run(instruction, window);
  }
  KernelCall call{.count = window.count};
  bool is_plain = last.kernel.select_dense != nullptr;
  for (std::size_t i = 0; is_plain && i < last.operand_count; ++i) {
    const Vector& operand = scratch_->values_[last.in[i]];
    is_plain = operand.valid == nullptr && operand.error == nullptr;
    call.in[i] = operand.data;
  }
  if (!is_plain) {
    machine_->run(last, window);
    result = &scratch_->values_[program.root];
    return std::nullopt;
  }
  if (window.index == nullptr) return last.kernel.select_dense(call, window.first, out);
  return last.kernel.select_indexed(call, window.index, out);
}

// Runs the one row again with a register of its own for every value, then follows the error from
// the result down to where it arose.
RowError Evaluation::explain(std::size_t position) const {
  const Program& program = bound_->compiled().program();
  std::vector<Vector> values(scratch_->values_.begin(), scratch_->values_.end());
  Registers registers(1, kEntryBytes, Registers::Sharing::kByValue);
  std::vector<std::byte> memory(registers.bytes_for(program.value_count()));
  registers.set_memory(memory.data());
  std::array<std::uint8_t, 1> marks{};
  Machine machine({.program = program,
                   .values = values,
                   .registers = registers,
                   .marks = marks,
                   .tables = scratch_->tables_,
                   .pool = &scratch_->pool_,
                   .keys = scratch_->keys_});
  const rows::RowIndex row = rows_->row_at(position);
  for (const Instruction& instruction : program.body) {
    machine.run(instruction, {.first = row, .count = 1});
  }
  const Instruction* culprit = find_culprit(values);
  if (culprit->opcode == Opcode::kMatch) {
    return {.position = position,
            .id = rows_->batch()->ids()[row],
            .message = "A text is too long for its regex",
            .span = {culprit->offset, 1}};
  }
  const std::string_view symbol = overflow_symbol(culprit->opcode);
  return {.position = position,
          .id = rows_->batch()->ids()[row],
          .message = "Integer overflow in `" + std::string(symbol) + "`",
          .span = {culprit->offset, static_cast<std::uint32_t>(symbol.size())}};
}

const Instruction* Evaluation::find_culprit(std::span<const Vector> values) const {
  const Program& program = bound_->compiled().program();
  const auto instruction_of = [&program](ValueId value) -> const Instruction& {
    const std::size_t prologue_at = program.bind.size();
    const std::size_t body_at = prologue_at + program.prologue.size();
    if (value < prologue_at) return program.bind[value];
    if (value < body_at) return program.prologue[value - prologue_at];
    return program.body[value - body_at];
  };
  const Instruction* at = &instruction_of(program.root);
  for (;;) {
    std::array<std::size_t, kOperandCountMax> order{0, 1, 2, 3, 4, 5};
    if (at->product_first) order = {1, 2, 0, 3, 4, 5};
    const Instruction* next = nullptr;
    for (const std::size_t i : order) {
      if (next != nullptr || i >= at->operand_count) continue;
      const Vector& operand = values[at->in[i]];
      if (has_error(operand)) next = &instruction_of(at->in[i]);
      if (at->opcode == Opcode::kIf && i == 0 && next == nullptr) {
        const bool is_valid = operand.valid == nullptr || *operand.valid != 0;
        const bool is_true = is_valid && *static_cast<const std::uint8_t*>(operand.data) != 0;
        next = &instruction_of(at->in[is_true ? 1 : 2]);
      }
    }
    if (next == nullptr) return at;
    at = next;
  }
}

rows::DictionaryRef Evaluation::dictionary_of(const Vector& result) const {
  if (result.strings.dictionary == nullptr) return scratch_->pool_.to_dictionary();
  for (const rows::NamedColumn& named : rows_->batch()->columns()) {
    if (named.column->type() != ColumnType::kString) continue;
    if (named.column->dictionary().get() == result.strings.dictionary) {
      return named.column->dictionary();
    }
  }
  MR_CHECK(false);
  return nullptr;
}

}  // namespace millrace::expr
