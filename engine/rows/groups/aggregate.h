#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"

namespace millrace::rows {

/// What is computed from the values of one column in a group of rows. Nulls are left out, except by
/// kFirst; without a value the result is null, and a count 0.
enum class Aggregation : std::uint8_t {
  kCount,  ///< how many there are, as int
  kSum,    ///< int of ints, float of floats, added in row order
  kMean,   ///< float; that of ints is taken from their exact sum
  kMin,    ///< NaN is left out
  kMax,    ///< NaN is left out
  kFirst,  ///< that of the first row of the group, null too
};

/// One column of the result.
struct AggregateColumn {
  Aggregation aggregation = Aggregation::kCount;
  std::string name;      ///< of the column that is read; a number for kSum, kMean, kMin and kMax
  std::string new_name;  ///< of the column that is made
};

struct Aggregated {
  /// One row for each group, in order of their first rows: `id` of the first row, and the columns.
  RowSet rows;
  /// How many sums of ints are beyond int64. They are null.
  std::size_t overflow_count = 0;
  /// For each row whether none of its sums overflowed; empty if there is no such sum.
  Array<std::uint8_t> is_good = {};
  /// The column of the first of these sums.
  std::string overflowed_column = {};
};

/// Makes one row of each group of rows with equal keys; null is a key value like any other.
[[nodiscard]] base::Result<Aggregated> aggregate(const RowSet& rows,
                                                 std::span<const std::string> keys,
                                                 std::span<const AggregateColumn> columns,
                                                 RowScratch& scratch);

}  // namespace millrace::rows
