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

/// A column of the right side that enters the result.
struct JoinColumn {
  std::string name;
  std::string new_name;
};

struct JoinOptions {
  JoinKind kind = JoinKind::kInner;
  std::span<const JoinKey> keys;
  std::span<const JoinColumn> right_columns = {};
};

/// Matches rows of equal keys. Null matches nothing, not even null; NaN matches NaN.
///
/// The result has the left columns, then the right ones that the options name; one with the name of
/// a left column takes its place, unless it is `id`, which is an error. Rows come in left order,
/// matches of one row in right order. Semi and anti joins copy no column; the others copy no left
/// column when no left row has two matches.
[[nodiscard]] base::Result<RowSet> join(const RowSet& left,
                                        const RowSet& right,
                                        const JoinOptions& options,
                                        RowScratch& scratch);

}  // namespace millrace::rows
