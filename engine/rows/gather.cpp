#include "rows/gather.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "rows/column.h"
#include "rows/dictionary.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/stop_check.h"

namespace millrace::rows {

using base::Result;

namespace {

template <class T>
std::span<const T> values_of(const Column& column) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return column.int64s();
  } else if constexpr (std::is_same_v<T, double>) {
    return column.float64s();
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return column.bools();
  } else {
    return column.codes();
  }
}

template <class T>
base::Status copy_rows(std::span<const T> values,
                       const RowSet& rows,
                       T* out,
                       const StopCheck& stop) {
  if (rows.is_dense()) {
    const T* const first = values.data() + rows.first_row();
    return in_parts<kStopCheckFillRows>(
        rows.size(), stop, [first, out](std::size_t begin, std::size_t end) {
          std::copy(first + begin, first + end, out + begin);
        });
  }
  const std::span<const RowIndex> index = rows.indices();
  return in_parts(index.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = values[index[i]];
  });
}

template <class T>
Result<Array<T>> gather_values(std::span<const T> values,
                               std::span<const RowIndex> rows,
                               RowScratch& scratch) {
  Array<T> out = scratch.make_array<T>(rows.size());
  MR_TRY_STATUS(in_parts(rows.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      out[i] = rows[i] == kNoRow ? T{} : values[rows[i]];
    }
  }));
  return out;
}

Result<Array<std::uint8_t>> gather_validity(const Column& column,
                                            std::span<const RowIndex> rows,
                                            RowScratch& scratch) {
  const bool complete = std::find(rows.begin(), rows.end(), kNoRow) == rows.end();
  if (complete && !column.has_nulls()) return Array<std::uint8_t>();
  Array<std::uint8_t> out = scratch.make_array<std::uint8_t>(rows.size());
  MR_TRY_STATUS(in_parts(rows.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      out[i] = rows[i] != kNoRow && !column.is_null(rows[i]) ? 1 : 0;
    }
  }));
  return out;
}

std::size_t row_count_of(std::span<const ColumnPiece> pieces) {
  std::size_t count = 0;
  for (const ColumnPiece& piece : pieces) count += piece.rows->size();
  return count;
}

template <class T>
Result<Array<T>> append_values(std::span<const ColumnPiece> pieces, RowScratch& scratch) {
  Array<T> out = scratch.make_array<T>(row_count_of(pieces));
  T* next = out.data();
  for (const ColumnPiece& piece : pieces) {
    if (piece.column == nullptr) {
      std::fill_n(next, piece.rows->size(), T{});
    } else {
      MR_TRY_STATUS(copy_rows(values_of<T>(*piece.column), *piece.rows, next, scratch.stop()));
    }
    next += piece.rows->size();
  }
  return out;
}

Result<Array<std::uint8_t>> append_validity(std::span<const ColumnPiece> pieces,
                                            RowScratch& scratch) {
  const bool complete = std::all_of(pieces.begin(), pieces.end(), [](const ColumnPiece& piece) {
    return piece.column != nullptr && !piece.column->has_nulls();
  });
  if (complete) return Array<std::uint8_t>();
  Array<std::uint8_t> out = scratch.make_array<std::uint8_t>(row_count_of(pieces));
  std::uint8_t* next = out.data();
  for (const ColumnPiece& piece : pieces) {
    const std::size_t count = piece.rows->size();
    if (piece.column == nullptr) {
      std::fill_n(next, count, std::uint8_t{0});
    } else if (!piece.column->has_nulls()) {
      std::fill_n(next, count, std::uint8_t{1});
    } else {
      MR_TRY_STATUS(copy_rows(piece.column->validity(), *piece.rows, next, scratch.stop()));
    }
    next += count;
  }
  return out;
}

// The dictionary that all pieces share, or nullptr if they use several.
DictionaryRef shared_dictionary(std::span<const ColumnPiece> pieces) {
  DictionaryRef shared;
  for (const ColumnPiece& piece : pieces) {
    if (piece.column == nullptr) continue;
    if (shared != nullptr && shared != piece.column->dictionary()) return nullptr;
    shared = piece.column->dictionary();
  }
  return shared;
}

// Replaces codes of one piece's dictionary by codes of `merged`, adding a value when it first
// occurs.
class Recoder {
 public:
  Recoder(const Dictionary& dictionary,
          std::size_t row_count,
          RowScratch& scratch,
          DictionaryBuilder& merged)
      : dictionary_(dictionary), merged_(merged) {
    const auto value_count = static_cast<std::size_t>(dictionary.size());
    if (value_count > kTableValuesPerRowMax * row_count) return;
    table_ = scratch.make_array<std::int32_t>(value_count);
    std::fill_n(table_.data(), value_count, -1);
  }

  [[nodiscard]] std::int32_t recode(std::int32_t code) {
    if (table_.empty()) return merged_.add(dictionary_.at(code));
    std::int32_t& known = table_[static_cast<std::size_t>(code)];
    if (known < 0) known = merged_.add(dictionary_.at(code));
    return known;
  }

 private:
  const Dictionary& dictionary_;
  DictionaryBuilder& merged_;
  Array<std::int32_t> table_;  // by code, -1 if not seen yet; empty if the dictionary is too large
};

Result<ColumnRef> append_strings(std::span<const ColumnPiece> pieces, RowScratch& scratch) {
  MR_TRY(Array<std::int32_t> codes, append_values<std::int32_t>(pieces, scratch));
  MR_TRY(Array<std::uint8_t> validity, append_validity(pieces, scratch));
  if (DictionaryRef shared = shared_dictionary(pieces)) {
    return Column::make_string(std::move(codes), std::move(shared), std::move(validity));
  }
  DictionaryBuilder merged;
  std::size_t begin = 0;
  for (const ColumnPiece& piece : pieces) {
    const std::size_t count = piece.rows->size();
    if (piece.column != nullptr) {
      Recoder recoder(*piece.column->dictionary(), count, scratch, merged);
      MR_TRY_STATUS(in_parts(count, scratch.stop(), [&](std::size_t first, std::size_t last) {
        for (std::size_t i = begin + first; i < begin + last; ++i) {
          const bool valid = validity.empty() || validity[i] != 0;
          codes[i] = valid ? recoder.recode(codes[i]) : 0;
        }
      }));
    }
    begin += count;
  }
  return Column::make_string(std::move(codes), merged.finish(), std::move(validity));
}

}  // namespace

Result<ColumnRef> gather(const Column& column,
                         std::span<const RowIndex> rows,
                         RowScratch& scratch) {
  MR_TRY(Array<std::uint8_t> validity, gather_validity(column, rows, scratch));
  switch (column.type()) {
    case ColumnType::kInt64: {
      MR_TRY(Array<std::int64_t> values, gather_values(column.int64s(), rows, scratch));
      return Column::make_int64(std::move(values), std::move(validity));
    }
    case ColumnType::kFloat64: {
      MR_TRY(Array<double> values, gather_values(column.float64s(), rows, scratch));
      return Column::make_float64(std::move(values), std::move(validity));
    }
    case ColumnType::kBool: {
      MR_TRY(Array<std::uint8_t> values, gather_values(column.bools(), rows, scratch));
      return Column::make_bool(std::move(values), std::move(validity));
    }
    case ColumnType::kString: {
      MR_TRY(Array<std::int32_t> codes, gather_values(column.codes(), rows, scratch));
      return Column::make_string(std::move(codes), column.dictionary(), std::move(validity));
    }
  }
  return nullptr;
}

Result<ColumnRef> append_pieces(ColumnType type,
                                std::span<const ColumnPiece> pieces,
                                RowScratch& scratch) {
  if (type == ColumnType::kString) return append_strings(pieces, scratch);
  MR_TRY(Array<std::uint8_t> validity, append_validity(pieces, scratch));
  switch (type) {
    case ColumnType::kInt64: {
      MR_TRY(Array<std::int64_t> values, append_values<std::int64_t>(pieces, scratch));
      return Column::make_int64(std::move(values), std::move(validity));
    }
    case ColumnType::kFloat64: {
      MR_TRY(Array<double> values, append_values<double>(pieces, scratch));
      return Column::make_float64(std::move(values), std::move(validity));
    }
    case ColumnType::kBool: {
      MR_TRY(Array<std::uint8_t> values, append_values<std::uint8_t>(pieces, scratch));
      return Column::make_bool(std::move(values), std::move(validity));
    }
    case ColumnType::kString:
      break;
  }
  return nullptr;
}

}  // namespace millrace::rows
