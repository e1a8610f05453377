#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "rows/row_set.h"

namespace millrace::rows {

/// Keeps the rows whose byte in `keep` is 1, in their order; `keep` has one byte, 0 or 1, per row
/// of the set. Copies no column.
[[nodiscard]] base::Result<RowSet> filter(const RowSet& rows,
                                          std::span<const std::uint8_t> keep,
                                          RowScratch& scratch);

/// Writes to `out` the positions i in [0, keep.size()) with keep[i] == 1, plus `base`, and returns
/// how many. `out` needs room for keep.size() entries. Branch-free: for callers that make `keep`
/// chunk by chunk.
std::size_t compact_dense(std::span<const std::uint8_t> keep, RowIndex base, RowIndex* out);
/// The same for rows named by an index: writes index[i] where keep[i] == 1.
std::size_t compact_indexed(std::span<const std::uint8_t> keep,
                            std::span<const RowIndex> index,
                            RowIndex* out);

/// The first `count` rows. Refuses a negative count.
[[nodiscard]] base::Result<RowSet> take(const RowSet& rows, std::int64_t count);
/// All rows but the first `count`. Refuses a negative count.
[[nodiscard]] base::Result<RowSet> skip(const RowSet& rows, std::int64_t count);

}  // namespace millrace::rows
