#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "rank/request_run.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/dictionary.h"
#include "rows/row_set.h"
#include "rows/stop_check.h"

namespace millrace::rank {

/// The most candidates that an answer may have.
[[nodiscard]] inline std::size_t candidate_max(const Request& request) {
  return static_cast<std::size_t>(request.limit.value_or(std::numeric_limits<std::int64_t>::max()));
}

/// Calls `visit(output, row)` for each candidate of the answer, as long as it gives true: the rows
/// of all outputs in order, without those excluded, cut at the limit. `output` is a position in the
/// plan's outputs.
template <class Visit>
void for_each_candidate(const RequestRun& run, Visit visit) {
  const Request& request = run.request();
  const std::size_t limit = candidate_max(request);
  std::size_t count = 0;
  std::uint32_t output = 0;
  for (const std::uint32_t node : run.plan().plan().outputs) {
    const rows::RowSet& rows = *run.rows_of(node);
    const auto ids = rows.batch()->ids();
    for (std::size_t position = 0; position < rows.size() && count < limit; ++position) {
      const rows::RowIndex row = rows.row_at(position);
      if (!request.exclude.empty() &&
          std::binary_search(request.exclude.begin(), request.exclude.end(), ids[row]))
        continue;
      if (!visit(output, row)) return;
      ++count;
    }
    ++output;
  }
}

/// How a `CandidateWriter` writes.
struct CandidateOptions {
  bool ids_as_strings = false;
  /// The response may have that many bytes, and some thousands more.
  std::size_t bytes_max = std::numeric_limits<std::size_t>::max();
  rows::StopCheck stop = {};
};

/// How the writing of an answer ended.
enum class AnswerEnd : std::uint8_t {
  kWritten,
  kLate,      ///< it was stopped, at the deadline
  kTooLarge,  ///< it is longer than `CandidateOptions::bytes_max`
  kNoMemory,
};

/// Writes the candidates of an answer as JSON, with the same bytes as `base::JsonWriter`. Writing
/// candidates is most of the work of an answer, so the text that all candidates share (field names,
/// braces) is rendered once per answer and then copied.
/// Threading: not shared. A writer that is used again allocates less, because it keeps its buffers.
class CandidateWriter {
 public:
  /// Appends the JSON array of the candidates, or the beginning of it.
  [[nodiscard]] AnswerEnd append(const RequestRun& run,
                                 const CandidateOptions& options,
                                 std::string& out);
  /// How many candidates the last call appended.
  [[nodiscard]] std::uint64_t candidate_count() const { return candidate_count_; }

 private:
  /// A range of bytes in `rendered_`.
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  enum class CellKind : std::uint8_t { kInt64, kFloat64, kBool, kRendered, kText };
  struct Field {
    Part text;  ///< the text before the value: `,"name":`
    CellKind kind = CellKind::kInt64;
    const std::uint8_t* validity = nullptr;  ///< nullptr: no row is null
    const void* values = nullptr;            ///< array whose element type follows from `kind`
    const rows::Dictionary* dictionary = nullptr;
    std::size_t first_cell = 0;  ///< for kRendered: where the dictionary's values begin in `cells_`
    bool is_left_out = false;    ///< a row without a value leaves the field out
  };
  struct Output {
    const rows::Batch* batch = nullptr;
    std::size_t first_field = 0;
    std::size_t end_field = 0;
    Part tail = {};             ///< closes a candidate and opens the next one
    std::size_t bytes_max = 0;  ///< most bytes of one candidate, without its kText cells
    /// Rows leave out fields, so each one has a comma before it and none the text before the first.
    bool leaves_out = false;
  };
  class Text;

  void add_output(const RequestRun& run, std::uint32_t node);
  void add_field(const rows::Batch& batch,
                 std::size_t row_count,
                 std::string_view key,
                 bool is_left_out);
  void add_cells(const rows::Column& column, std::size_t row_count, Field& field);
  [[nodiscard]] char* write_cell(const Field& field, rows::RowIndex row, char* at) const;
  [[nodiscard]] char* write_text(
      const Field& field, rows::RowIndex row, std::size_t bytes_max, char* at, Text& text);
  [[nodiscard]] char* write_field(
      const Field& field, rows::RowIndex row, std::size_t bytes_max, char* at, Text& text);
  [[nodiscard]] char* write_candidate(const Output& output,
                                      rows::RowIndex row,
                                      char* at,
                                      Text& text);
  [[nodiscard]] char* write_present_fields(const Output& output,
                                           rows::RowIndex row,
                                           char* at,
                                           Text& text);
  [[nodiscard]] std::string_view part(const Part& of) const {
    return {rendered_.data() + of.begin, of.end - of.begin};
  }

  std::uint64_t candidate_count_ = 0;
  std::string rendered_;
  std::vector<Field> fields_;  // fields of the first output, then of the second, …
  std::vector<Output> outputs_;
  std::vector<Part> cells_;     // values of small dictionaries, as JSON
  std::string escaped_;         // the kText cell that is being written
  std::string_view before_id_;  // text between the end of one candidate and the id of the next
  std::string_view after_id_;   // text between the id and the first field
};

}  // namespace millrace::rank
