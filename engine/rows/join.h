#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "rows/key_groups.h"
#include "rows/row_set.h"

namespace millrace::rows {

enum class JoinKind : std::uint8_t {
  kInner,  ///< each left row once for each match
  kLeft,   ///< the same, and left rows without a match once, with nulls
  kSemi,   ///< left rows that have a match; left columns only
  kAnti,   ///< left rows that have none; left columns only
};

struct JoinOptions {
  JoinKind kind = JoinKind::kInner;
  std::span<const JoinKey> keys;
  /// Goes before the name of every column that comes from the right.
  std::string right_prefix = {};
};

/// Matches rows of equal keys. Null matches nothing, not even null; NaN matches NaN.
///
/// The result has the left columns, then the right ones without the right keys, which would repeat
/// the left; `id` is the left one. A right column whose name, with prefix, the left has too is an
/// error that names it: nothing is overwritten. Rows come in left order, matches of one row in
/// right order. Semi and anti joins copy no column; the others copy no left column when no left row
/// has two matches.
[[nodiscard]] base::Result<RowSet> join(const RowSet& left,
                                        const RowSet& right,
                                        const JoinOptions& options,
                                        RowScratch& scratch);

}  // namespace millrace::rows
