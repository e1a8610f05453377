#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "base/result.h"
#include "rows/column.h"
#include "rows/row_set.h"

namespace millrace::rows {

/// Stands for "no row" in a gather: the result is null there.
inline constexpr RowIndex kNoRow = std::numeric_limits<RowIndex>::max();

/// Copies the named rows of a column into a new one; kNoRow gives null. Strings keep their
/// dictionary. Fails only if it is stopped.
[[nodiscard]] base::Result<ColumnRef> gather(const Column& column,
                                             std::span<const RowIndex> rows,
                                             RowScratch& scratch);

/// A part of a new column: some rows of a column of another batch, or nulls.
struct ColumnPiece {
  const RowSet* rows;
  const Column* column;  // of rows->batch(), or nullptr: as many nulls as there are rows
};

/// Copies pieces of columns of one type, one after another, into a new column. Strings share the
/// dictionary when all pieces have the same one; otherwise the new one holds the values in use.
/// Fails only if it is stopped.
[[nodiscard]] base::Result<ColumnRef> append_pieces(ColumnType type,
                                                    std::span<const ColumnPiece> pieces,
                                                    RowScratch& scratch);

}  // namespace millrace::rows
