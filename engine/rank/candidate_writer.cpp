#include "rank/candidate_writer.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/formats/json_writer.h"
#include "base/number_text.h"

namespace millrace::rank {
namespace {

constexpr std::size_t kIntegerBytesMax = 24;
constexpr std::size_t kPartSlack = 32;
constexpr std::string_view kNull = "null";
/// After that many bytes the writer looks whether it should go on.
constexpr std::size_t kLookBytes = 64UL << 10;

char* write_literal(char* at, std::string_view literal) {
  std::memcpy(at, literal.data(), literal.size());
  return at + literal.size();
}

char* write_integer(char* at, std::int64_t number) {
  return std::to_chars(at, at + kIntegerBytesMax, number).ptr;
}

// Copies a part of `rendered_`. Most parts are short, and a copy of a fixed size is a few
// instructions instead of a call, so kPartSlack bytes are always copied; `rendered_` has that many
// spare bytes behind its end, and the target has room for them.
char* write_part(char* at, std::string_view part) {
  std::memcpy(at, part.data(), kPartSlack);
  if (part.size() > kPartSlack) [[unlikely]]
    std::memcpy(at + kPartSlack, part.data() + kPartSlack, part.size() - kPartSlack);
  return at + part.size();
}

}  // namespace

// Lets a writer append to a string through a plain pointer. While it writes, the string is longer
// than its text; `cut` sets the real length at the end.
class CandidateWriter::Text {
 public:
  explicit Text(std::string& out) : out_(out) {}

  /// The end of the string, where the first byte is to be written.
  [[nodiscard]] char* end() { return out_.data() + out_.size(); }
  /// Makes room for `bytes` more at `at`, the end of the text so far, and gives the address of that
  /// end, which changes when the string has to grow.
  [[nodiscard]] char* make_room(char* at, std::size_t bytes) {
    if (static_cast<std::size_t>(end() - at) >= bytes) [[likely]]
      return at;
    return grow(at, bytes);
  }
  /// The bytes of the text that ends at `at`.
  [[nodiscard]] std::size_t size_to(const char* at) const {
    return static_cast<std::size_t>(at - out_.data());
  }
  void cut(const char* at) { out_.resize(size_to(at)); }

 private:
  [[gnu::noinline]] char* grow(char* at, std::size_t bytes) {
    constexpr std::size_t kLeast = 4096;
    const std::size_t size = size_to(at);
    const std::size_t wanted = std::max({size + bytes, out_.capacity(), kLeast});
    out_.resize_and_overwrite(wanted > out_.capacity() ? 2 * wanted : wanted,
                              [](char*, std::size_t length) { return length; });
    return out_.data() + size;
  }

  std::string& out_;
};

// Renders each value of the column's dictionary once, unless it has more values than the answer can
// have candidates; then values are rendered row by row (kText).
void CandidateWriter::add_cells(const rows::Column& column, std::size_t row_count, Field& field) {
  field.values = column.codes().data();
  field.dictionary = column.dictionary().get();
  const auto value_count = static_cast<std::size_t>(field.dictionary->size());
  if (value_count > row_count) {
    field.kind = CellKind::kText;
    return;
  }
  field.kind = CellKind::kRendered;
  field.first_cell = cells_.size();
  std::size_t longest = 0;
  for (std::size_t code = 0; code < value_count; ++code) {
    const std::size_t begin = rendered_.size();
    base::append_json_string(rendered_, field.dictionary->at(static_cast<std::int32_t>(code)));
    cells_.push_back({begin, rendered_.size()});
    longest = std::max(longest, rendered_.size() - begin);
  }
  outputs_.back().bytes_max += longest;
}

void CandidateWriter::add_field(const rows::Batch& batch,
                                std::size_t row_count,
                                std::string_view key,
                                bool is_left_out) {
  const rows::Column* const column = batch.find_column(key);
  // Of several outputs, one may lack a key that others have.
  if (key == rows::kIdColumn || column == nullptr) return;
  Field field;
  field.is_left_out = is_left_out && column->has_nulls();
  field.text.begin = rendered_.size();
  const bool is_first = fields_.size() == outputs_.back().first_field;
  rendered_ += is_first && !outputs_.back().leaves_out ? after_id_ : ",";
  base::append_json_string(rendered_, key);
  rendered_ += ':';
  field.text.end = rendered_.size();
  outputs_.back().bytes_max += field.text.end - field.text.begin + base::kDoubleBytesMax;
  if (column->has_nulls()) field.validity = column->validity().data();
  switch (column->type()) {
    case rows::ColumnType::kInt64:
      field.kind = CellKind::kInt64;
      field.values = column->int64s().data();
      break;
    case rows::ColumnType::kFloat64:
      field.kind = CellKind::kFloat64;
      field.values = column->float64s().data();
      break;
    case rows::ColumnType::kBool:
      field.kind = CellKind::kBool;
      field.values = column->bools().data();
      break;
    case rows::ColumnType::kString:
      add_cells(*column, row_count, field);
      break;
  }
  fields_.push_back(field);
}

void CandidateWriter::add_output(const RequestRun& run, std::uint32_t node) {
  const plan::CompiledPlan& plan = run.plan().plan();
  const rows::Batch& batch = *run.rows_of(node)->batch();
  const std::size_t row_count = std::min(run.rows_of(node)->size(), candidate_max(run.request()));
  outputs_.push_back({.batch = &batch, .first_field = fields_.size()});
  if (run.request().output_keys) {
    for (const std::string_view key : *run.request().output_keys)
      add_field(batch, row_count, key, false);
  } else {
    const std::vector<bool>& offered = plan.output_key_is_offered;
    outputs_.back().leaves_out = std::find(offered.begin(), offered.end(), true) != offered.end();
    for (std::size_t key = 0; key < plan.output_keys.size(); ++key)
      add_field(batch, row_count, plan.output_keys[key], !offered.empty() && offered[key]);
  }
  Output& output = outputs_.back();
  output.end_field = fields_.size();
  output.tail.begin = rendered_.size();
  if (output.first_field == output.end_field && !output.leaves_out) rendered_ += after_id_;
  rendered_ += '}';
  if (plan.outputs.size() > 1) {
    rendered_ += ",\"output\":";
    base::append_json_string(rendered_, plan.nodes[node].id);
  }
  rendered_ += '}';
  rendered_ += before_id_;
  output.tail.end = rendered_.size();
  if (output.leaves_out) output.bytes_max += after_id_.size();
  output.bytes_max += kIntegerBytesMax + output.tail.end - output.tail.begin + 2 * kPartSlack;
}

[[gnu::always_inline]] inline char* CandidateWriter::write_cell(const Field& field,
                                                                rows::RowIndex row,
                                                                char* at) const {
  switch (field.kind) {
    case CellKind::kInt64:
      return write_integer(at, static_cast<const std::int64_t*>(field.values)[row]);
    case CellKind::kFloat64: {
      const double value = static_cast<const double*>(field.values)[row];
      return std::isfinite(value) ? base::write_double(at, value) : write_literal(at, kNull);
    }
    case CellKind::kBool: {
      const bool value = static_cast<const std::uint8_t*>(field.values)[row] != 0;
      return value ? write_literal(at, "true") : write_literal(at, "false");
    }
    case CellKind::kRendered: {
      const std::int32_t code = static_cast<const std::int32_t*>(field.values)[row];
      return write_part(at, part(cells_[field.first_cell + static_cast<std::size_t>(code)]));
    }
    case CellKind::kText:
      break;
  }
  return write_literal(at, kNull);
}

// `Output::bytes_max` leaves kText cells out, so this makes room for the cell and again for the
// rest of the candidate.
char* CandidateWriter::write_text(
    const Field& field, rows::RowIndex row, std::size_t bytes_max, char* at, Text& text) {
  const std::int32_t code = static_cast<const std::int32_t*>(field.values)[row];
  escaped_.clear();
  base::append_json_string(escaped_, field.dictionary->at(code));
  at = text.make_room(at, escaped_.size() + bytes_max);
  return write_literal(at, escaped_);
}

[[gnu::always_inline]] inline char* CandidateWriter::write_field(
    const Field& field, rows::RowIndex row, std::size_t bytes_max, char* at, Text& text) {
  at = write_part(at, part(field.text));
  if (field.validity != nullptr && field.validity[row] == 0) return write_literal(at, kNull);
  if (field.kind == CellKind::kText) return write_text(field, row, bytes_max, at, text);
  return write_cell(field, row, at);
}

[[gnu::always_inline]] inline char* CandidateWriter::write_candidate(const Output& output,
                                                                     rows::RowIndex row,
                                                                     char* at,
                                                                     Text& text) {
  at = text.make_room(at, output.bytes_max);
  at = write_integer(at, output.batch->ids()[row]);
  if (output.leaves_out) [[unlikely]]
    return write_present_fields(output, row, at, text);
  for (std::size_t place = output.first_field; place < output.end_field; ++place)
    at = write_field(fields_[place], row, output.bytes_max, at, text);
  return write_part(at, part(output.tail));
}

// Writes what follows the id of a candidate that leaves out fields.
char* CandidateWriter::write_present_fields(const Output& output,
                                            rows::RowIndex row,
                                            char* at,
                                            Text& text) {
  at = write_literal(at, after_id_);
  bool is_first = true;
  for (std::size_t place = output.first_field; place < output.end_field; ++place) {
    Field field = fields_[place];
    if (field.is_left_out && field.validity[row] == 0) continue;
    if (std::exchange(is_first, false)) ++field.text.begin;  // no comma before the first
    at = write_field(field, row, output.bytes_max, at, text);
  }
  return write_part(at, part(output.tail));
}

AnswerEnd CandidateWriter::append(const RequestRun& run,
                                  const CandidateOptions& options,
                                  std::string& out) {
  rendered_.clear();
  fields_.clear();
  outputs_.clear();
  cells_.clear();
  std::uint64_t count = 0;
  before_id_ = options.ids_as_strings ? R"(,{"id":")" : R"(,{"id":)";
  after_id_ = options.ids_as_strings ? R"(","fields":{)" : R"(,"fields":{)";
  for (const std::uint32_t node : run.plan().plan().outputs) add_output(run, node);
  rendered_.append(kPartSlack, ' ');

  // Each candidate ends with the text that opens the next one. The last one has no next, so that
  // surplus is cut off at the end.
  Text text(out);
  char* at = text.make_room(text.end(), kPartSlack);
  at = write_literal(write_literal(at, "["), before_id_.substr(1));
  std::size_t surplus = before_id_.size() - 1;
  std::size_t look_at = text.size_to(at) + kLookBytes;
  AnswerEnd end = AnswerEnd::kWritten;
  for_each_candidate(run, [&](std::uint32_t index, rows::RowIndex row) {
    at = write_candidate(outputs_[index], row, at, text);
    surplus = before_id_.size();
    ++count;
    if (text.size_to(at) < look_at) [[likely]]
      return true;
    look_at = text.size_to(at) + kLookBytes;
    if (options.stop.stop_requested()) end = AnswerEnd::kLate;
    if (text.size_to(at) > options.bytes_max) end = AnswerEnd::kTooLarge;
    return end == AnswerEnd::kWritten;
  });
  candidate_count_ = count;
  text.cut(write_literal(at - surplus, "]"));
  return end;
}

}  // namespace millrace::rank
