#pragma once

#include <span>

#include "base/result.h"
#include "rows/row_set.h"
#include "rows/sort_key.h"

namespace millrace::rows {

/// Orders the rows by the keys, the first one first; rows equal in all of them by id, and rows of
/// equal id in input order. Null and NaN come last whatever the direction. Copies no column.
[[nodiscard]] base::Result<RowSet> sort(const RowSet& rows,
                                        std::span<const SortKey> keys,
                                        RowScratch& scratch);

}  // namespace millrace::rows
