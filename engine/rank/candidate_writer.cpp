#include "rank/candidate_writer.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "base/json_writer.h"
#include "base/number_text.h"

namespace millrace::rank {
namespace {

constexpr std::size_t kIntegerBytesMax = 32;
constexpr std::size_t kPartSlack = 32;
constexpr std::size_t kShortText = 16;

bool is_plain(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char character) { return is_plain(character); });
}

// Text that grows at its end: while it does, the string is longer than the text.
class GrowingText {
 public:
  explicit GrowingText(std::string& out) : out_(out), size_(out.size()) {}
  ~GrowingText() { out_.resize(size_); }
  GrowingText(const GrowingText&) = delete;
  GrowingText& operator=(const GrowingText&) = delete;

  void append(std::string_view text) {
    char* const at = make_room(text.size());
    std::memcpy(at, text.data(), text.size());
    size_ += text.size();
  }
  /// The same for a text with kPartSlack readable bytes behind it: most are short, and a copy of
  /// fixed size is a few instructions instead of a call.
  void append_part(std::string_view text) {
    char* const at = make_room(text.size() + kPartSlack);
    std::memcpy(at, text.data(), kPartSlack);
    if (text.size() > kPartSlack) [[unlikely]]
      std::memcpy(at + kPartSlack, text.data() + kPartSlack, text.size() - kPartSlack);
    size_ += text.size();
  }
  void append_number(std::int64_t number) {
    char* const at = make_room(kIntegerBytesMax);
    size_ += static_cast<std::size_t>(std::to_chars(at, at + kIntegerBytesMax, number).ptr - at);
  }
  void append_number(double number) {
    char* const at = make_room(base::kDoubleBytesMax);
    size_ += static_cast<std::size_t>(base::write_double(at, number) - at);
  }
  void append_string(std::string_view text) {
    if (text.size() <= kShortText && append_short(text)) return;
    if (is_plain(text)) {
      char* const at = make_room(text.size() + 2);
      at[0] = '"';
      if (!text.empty()) std::memcpy(at + 1, text.data(), text.size());
      at[text.size() + 1] = '"';
      size_ += text.size() + 2;
      return;
    }
    out_.resize(size_);
    base::append_json_string(out_, text);
    size_ = out_.size();
  }

 private:
  /// Checks and copies in one loop, without a call; false if the text is not plain.
  bool append_short(std::string_view text) {
    char* at = make_room(kShortText + 2);
    *at++ = '"';
    for (const char character : text) {
      if (!is_plain(character)) return false;
      *at++ = character;
    }
    *at = '"';
    size_ += text.size() + 2;
    return true;
  }
  char* make_room(std::size_t bytes) {
    constexpr std::size_t kLeast = 4096;
    const std::size_t needed = size_ + bytes;
    if (needed > out_.size()) {
      const std::size_t wanted = std::max({needed, out_.capacity(), kLeast});
      out_.resize_and_overwrite(wanted > out_.capacity() ? 2 * wanted : wanted,
                                [](char*, std::size_t size) { return size; });
    }
    return out_.data() + size_;
  }

  std::string& out_;
  std::size_t size_;
};

void append_cell(GrowingText& text, const rows::Column* column, rows::RowIndex row) {
  if (column == nullptr || column->is_null(row)) return text.append("null");
  switch (column->type()) {
    case rows::ColumnType::kInt64:
      return text.append_number(column->int64s()[row]);
    case rows::ColumnType::kFloat64: {
      const double value = column->float64s()[row];
      return std::isfinite(value) ? text.append_number(value) : text.append("null");
    }
    case rows::ColumnType::kBool:
      return text.append(column->bools()[row] != 0 ? "true" : "false");
    case rows::ColumnType::kString:
      return text.append_string(column->dictionary()->at(column->codes()[row]));
  }
}

}  // namespace

void CandidateWriter::add_field(const rows::Batch& batch, std::string_view key) {
  if (key == rows::kIdColumn) return;
  const std::size_t begin = rendered_.size();
  rendered_ += fields_.size() == outputs_.back().first_field ? after_id_ : ",";
  base::append_json_string(rendered_, key);
  rendered_ += ':';
  fields_.push_back({.text = {begin, rendered_.size()}, .column = batch.find_column(key)});
}

void CandidateWriter::add_output(const RequestRun& run, std::uint32_t node) {
  const plan::CompiledPlan& plan = run.plan().plan();
  const rows::Batch& batch = *run.rows_of(node)->batch();
  outputs_.push_back({.batch = &batch, .first_field = fields_.size()});
  if (run.request().output_keys) {
    for (const std::string_view key : *run.request().output_keys) add_field(batch, key);
  } else {
    for (const std::string& key : plan.output_keys) add_field(batch, key);
  }
  Output& output = outputs_.back();
  output.end_field = fields_.size();
  const std::size_t begin = rendered_.size();
  if (output.first_field == output.end_field) rendered_ += after_id_;
  rendered_ += '}';
  if (plan.outputs.size() > 1) {
    rendered_ += ",\"output\":";
    base::append_json_string(rendered_, plan.nodes[node].id);
  }
  rendered_ += '}';
  output.tail = {begin, rendered_.size()};
}

void CandidateWriter::append(const RequestRun& run, bool ids_as_strings, std::string& out) {
  rendered_.clear();
  fields_.clear();
  outputs_.clear();
  after_id_ = ids_as_strings ? R"(","fields":{)" : R"(,"fields":{)";
  for (const std::uint32_t node : run.plan().plan().outputs) add_output(run, node);
  Part before_id{.begin = rendered_.size()};
  rendered_ += ids_as_strings ? R"(,{"id":")" : R"(,{"id":)";
  before_id.end = rendered_.size();
  rendered_.append(kPartSlack, ' ');

  GrowingText text(out);
  text.append("[");
  bool is_first = true;
  for_each_candidate(run, [&](std::uint32_t index, rows::RowIndex row) {
    const Output& output = outputs_[index];
    text.append_part(part(before_id).substr(is_first ? 1 : 0));
    is_first = false;
    text.append_number(output.batch->ids()[row]);
    for (std::size_t place = output.first_field; place < output.end_field; ++place) {
      text.append_part(part(fields_[place].text));
      append_cell(text, fields_[place].column, row);
    }
    text.append_part(part(output.tail));
  });
  text.append("]");
}

}  // namespace millrace::rank
