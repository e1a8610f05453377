#include "rows/concat.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/dictionary.h"
#include "rows/gather.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/stop_check.h"

namespace millrace::rows {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

struct Field {
  std::string_view name;
  ColumnType type;
};

std::string input_place(std::size_t input) {
  return "concat.inputs[" + std::to_string(input) + "]";
}

std::vector<Field>::const_iterator find_field(const std::vector<Field>& fields,
                                              std::string_view name) {
  return std::find_if(
      fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
}

// The union of the inputs' columns in order of first appearance.
Result<std::vector<Field>> unite_fields(std::span<const RowSet> inputs) {
  std::vector<Field> fields;
  fields.reserve(inputs.front().batch()->columns().size() + 1);
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    for (const NamedColumn& entry : inputs[input].batch()->columns()) {
      const auto known = find_field(fields, entry.name);
      if (known == fields.end()) {
        fields.push_back({.name = entry.name, .type = entry.column->type()});
      } else if (known->type != entry.column->type()) {
        return fail(ErrorCode::kInvalidArgument,
                    "Column has two types: " + entry.name + " is " +
                        std::string(to_string(entry.column->type())) + " here and " +
                        std::string(to_string(known->type)) + " in an earlier input",
                    input_place(input));
      }
    }
  }
  return fields;
}

base::Status check_inputs(std::span<const RowSet> inputs,
                          const ConcatTags& tags,
                          const StopCheck& stop) {
  if (inputs.empty())
    return fail(ErrorCode::kInvalidArgument, "No input is given", "concat.inputs");
  if (!tags.empty() && tags.size() != inputs.size()) {
    return fail(ErrorCode::kInvalidArgument,
                "Tags and inputs differ in number: " + std::to_string(tags.size()) + " and " +
                    std::to_string(inputs.size()),
                "concat.tags");
  }
  std::size_t row_count = 0;
  for (const RowSet& input : inputs) row_count += input.size();
  MR_TRY_STATUS(stop.check_rows(row_count));
  if (row_count > kBatchRowsMax) {
    return fail(ErrorCode::kResourceExhausted,
                "Too many rows for one batch: " + std::to_string(row_count),
                "concat.inputs");
  }
  for (std::size_t input = 0; input < inputs.size() && !tags.empty(); ++input) {
    const Column* source = inputs[input].batch()->find_column(kSourceColumn);
    if (source != nullptr && source->type() != ColumnType::kString) {
      return fail(ErrorCode::kInvalidArgument,
                  "Column source must be string, not " + std::string(to_string(source->type())),
                  input_place(input));
    }
  }
  return {};
}

void find_pieces(std::span<const RowSet> inputs,
                 std::string_view name,
                 Array<ColumnPiece>& pieces) {
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    pieces[input] = {.rows = &inputs[input], .column = inputs[input].batch()->find_column(name)};
  }
}

bool has_source(const RowSet& input) {
  return input.batch()->find_column(kSourceColumn) != nullptr;
}

// Gives each row the tag of its input.
ColumnRef tag_all_rows(std::span<const RowSet> inputs,
                       const ConcatTags& tags,
                       RowScratch& scratch) {
  std::size_t row_count = 0;
  for (const RowSet& input : inputs) row_count += input.size();
  Array<std::int32_t> codes = scratch.make_array<std::int32_t>(row_count);
  std::int32_t* next = codes.data();
  for (std::size_t input = 0; input < inputs.size(); ++input)
    next = std::fill_n(next, inputs[input].size(), tags.code(input));
  return Column::make_string(std::move(codes), tags.dictionary());
}

// Keeps the `source` values that the inputs already have, and fills the nulls with the inputs'
// tags.
Result<ColumnRef> tag_rows(std::span<const RowSet> inputs,
                           const ConcatTags& tags,
                           RowScratch& scratch) {
  if (std::ranges::none_of(inputs, has_source)) return tag_all_rows(inputs, tags, scratch);
  Array<ColumnPiece> pieces = scratch.make_array<ColumnPiece>(inputs.size());
  find_pieces(inputs, kSourceColumn, pieces);
  MR_TRY(const ColumnRef known, append_pieces(ColumnType::kString, pieces.span(), scratch));
  DictionaryBuilder dictionary;
  Array<std::int32_t> codes = scratch.make_array<std::int32_t>(known->size());
  Array<std::int32_t> recoded =
      scratch.make_array<std::int32_t>(static_cast<std::size_t>(known->dictionary()->size()));
  const StopCheck& stop = scratch.stop();
  MR_TRY_STATUS(in_parts(recoded.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t code = begin; code < end; ++code) {
      recoded[code] = dictionary.add(known->dictionary()->at(static_cast<std::int32_t>(code)));
    }
  }));
  std::size_t row = 0;
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    const std::int32_t tag = dictionary.add(tags.name(input));
    MR_TRY_STATUS(in_parts(inputs[input].size(), stop, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i, ++row) {
        codes[row] =
            known->is_null(row) ? tag : recoded[static_cast<std::size_t>(known->codes()[row])];
      }
    }));
  }
  return Column::make_string(std::move(codes), dictionary.finish());
}

Result<RowSet> append_indices(std::span<const RowSet> inputs, RowScratch& scratch) {
  std::size_t row_count = 0;
  for (const RowSet& input : inputs) row_count += input.size();
  Array<RowIndex> index = scratch.make_array<RowIndex>(row_count);
  std::size_t next = 0;
  for (const RowSet& input : inputs) {
    MR_TRY_STATUS(in_parts(input.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) index[next++] = input.row_at(i);
    }));
  }
  return RowSet(inputs.front().batch(), std::move(index));
}

}  // namespace

ConcatTags::ConcatTags(std::span<const std::string> names) {
  if (names.empty()) return;
  DictionaryBuilder dictionary;
  codes_.reserve(names.size());
  for (const std::string& name : names) codes_.push_back(dictionary.add(name));
  dictionary_ = base::SpreadRef<const Dictionary>(dictionary.finish());
}

Result<RowSet> concat(std::span<const RowSet> inputs, const ConcatTags& tags, RowScratch& scratch) {
  MR_TRY_STATUS(check_inputs(inputs, tags, scratch.stop()));
  const bool one_batch = std::all_of(inputs.begin(), inputs.end(), [&](const RowSet& input) {
    return input.batch() == inputs.front().batch();
  });
  if (one_batch && tags.empty()) return append_indices(inputs, scratch);

  MR_TRY(std::vector<Field> fields, unite_fields(inputs));
  if (!tags.empty() && find_field(fields, kSourceColumn) == fields.end()) {
    fields.push_back({.name = kSourceColumn, .type = ColumnType::kString});
  }
  NamedColumns columns;
  columns.reserve(fields.size());
  Array<ColumnPiece> pieces = scratch.make_array<ColumnPiece>(inputs.size());
  for (const Field& field : fields) {
    const bool tagged = field.name == kSourceColumn && !tags.empty();
    if (!tagged) find_pieces(inputs, field.name, pieces);
    MR_TRY(ColumnRef column,
           tagged ? tag_rows(inputs, tags, scratch)
                  : append_pieces(field.type, pieces.span(), scratch));
    columns.push_back({.name = std::string(field.name), .column = std::move(column)});
  }
  MR_TRY(BatchRef batch, Batch::make(std::move(columns)));
  return RowSet(std::move(batch));
}

}  // namespace millrace::rows
