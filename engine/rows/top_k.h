#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "rows/row_set.h"
#include "rows/sort_key.h"

namespace millrace::rows {

/// Gives exactly what sort() and then take() of `count` rows give, without ordering the rest.
/// Copies no column. Refuses a negative count.
[[nodiscard]] base::Result<RowSet> top_k(const RowSet& rows,
                                         std::span<const SortKey> keys,
                                         std::int64_t count,
                                         RowScratch& scratch);

}  // namespace millrace::rows
