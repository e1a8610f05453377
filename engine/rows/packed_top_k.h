#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/sort_key.h"

namespace millrace::rows {

/// The most rows that top_k_packed takes.
inline constexpr std::size_t kPackedRowsMax = 1024;

/// Gives what sort() and then take() of `wanted` rows give; fast for few rows of which many are
/// wanted. Gives an empty array when it cannot decide: a row has no first key, or keys are equal at
/// the cut. There must be 1 to kPackedRowsMax rows, and `wanted` must be from 1 to their number.
[[nodiscard]] base::Result<Array<RowIndex>> top_k_packed(const RowSet& rows,
                                                         std::span<const SortColumn> keys,
                                                         std::size_t wanted,
                                                         RowScratch& scratch);

}  // namespace millrace::rows
