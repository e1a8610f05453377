#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rows/batch.h"
#include "rows/column.h"

namespace millrace::rows {

enum class Direction : std::uint8_t { kAscending, kDescending };

/// One key of an order. Strings order by bytes, false before true. Null and NaN come last in both
/// directions.
struct SortKey {
  std::string column;
  Direction direction = Direction::kAscending;
};

/// A sort key found in a batch.
/// Lifetime: borrows from the batch.
struct SortColumn {
  const Column* column;
  Direction direction;
  std::span<const std::int32_t> sort_positions;  // of the dictionary; empty unless a string column

  /// Gives, in `bits`, a number that orders rows by this key alone; false for null and NaN.
  [[nodiscard]] bool load(RowIndex row, std::uint64_t& bits) const;
};

/// Finds the column of `key`, or fails at `where`.
[[nodiscard]] base::Result<SortColumn> find_sort_column(const Batch& batch,
                                                        const SortKey& key,
                                                        std::string_view where);
/// Finds the columns of `keys`; an error says which key at `where`[i].
[[nodiscard]] base::Result<std::vector<SortColumn>> find_sort_columns(const Batch& batch,
                                                                      std::span<const SortKey> keys,
                                                                      std::string_view where);

/// Maps values to unsigned numbers of the same order. Both zeros map alike; NaN must be kept away.
[[nodiscard]] inline std::uint64_t ordered_bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63U);
}
[[nodiscard]] inline std::uint64_t ordered_bits(double value) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0.0 + 0.0 is +0.0
  // Flip all bits of a negative number, and only the sign bit of others.
  const auto flipped = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 63) | kSign;
  return bits ^ flipped;
}

/// True for a float key that orders like null.
[[nodiscard]] inline bool orders_as_null(double value) { return std::isnan(value); }
[[nodiscard]] inline bool orders_as_null(std::int64_t) { return false; }

/// Calls `body(load)` with `load(row)` giving the key as double or int64 without regard to nulls,
/// so that loops over rows are compiled once for each kind of column.
template <class Body>
void with_key_loader(const SortColumn& key, Body&& body) {
  switch (key.column->type()) {
    case ColumnType::kInt64:
      return body([values = key.column->int64s().data()](RowIndex row) { return values[row]; });
    case ColumnType::kFloat64:
      return body([values = key.column->float64s().data()](RowIndex row) { return values[row]; });
    case ColumnType::kBool:
      return body([values = key.column->bools().data()](RowIndex row) {
        return static_cast<std::int64_t>(values[row]);
      });
    case ColumnType::kString:
      // The dictionary is empty, so all rows are null and their codes mean nothing; any position is
      // correct.
      if (key.sort_positions.empty()) return body([](RowIndex) { return std::int64_t{0}; });
      return body([codes = key.column->codes().data(),
                   sort_positions = key.sort_positions.data()](RowIndex row) {
        return static_cast<std::int64_t>(sort_positions[codes[row]]);
      });
  }
}

}  // namespace millrace::rows
