#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "rows/row_set.h"

namespace millrace::rows {

/// Which of several rows with equal keys stays.
enum class Keep : std::uint8_t {
  kFirst,     ///< the one that comes first
  kLast,      ///< the one that comes last
  kMaxScore,  ///< the one that sort() by the score, descending, would put first
};

struct DedupeOptions {
  std::span<const std::string> keys;
  Keep keep = Keep::kFirst;
  std::string score = {};  ///< a column; for kMaxScore only
};

/// Leaves one row for each distinct key, in input order. Null is a key value like any other, equal
/// to itself. Copies no column.
[[nodiscard]] base::Result<RowSet> dedupe(const RowSet& rows,
                                          const DedupeOptions& options,
                                          RowScratch& scratch);

/// Leaves at most `count` rows for each distinct key, those that come first, in input order. Null
/// is a key value like any other. Copies no column. Refuses a negative count.
[[nodiscard]] base::Result<RowSet> group_limit(const RowSet& rows,
                                               std::span<const std::string> keys,
                                               std::int64_t count,
                                               RowScratch& scratch);

}  // namespace millrace::rows
