#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "rows/batch.h"
#include "rows/row_scratch.h"

namespace millrace::rows {

/// Positions of rows in a batch, in any order. Shared by the row sets that are windows of it.
/// Owners: those row sets.
using IndexRef = std::shared_ptr<const Array<RowIndex>>;

/// What an operator reads and gives: a batch seen through a window of rows, either a contiguous
/// range of the batch or a range of an index vector (a selection or an order). Copying one copies
/// two references. Each row of the batch appears at most once unless an operator says otherwise.
/// Threading: any thread may read it; assignment needs exclusive access.
class RowSet {
 public:
  /// All rows of the batch in order.
  explicit RowSet(BatchRef batch);
  /// The rows that `index` names, in its order; each must be below the batch's row count.
  RowSet(BatchRef batch, Array<RowIndex> index);

  [[nodiscard]] const BatchRef& batch() const { return batch_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }

  /// True when the rows are first_row(), first_row() + 1, … of the batch and no index is kept.
  [[nodiscard]] bool is_dense() const { return index_ == nullptr; }
  /// First row of a dense set.
  [[nodiscard]] RowIndex first_row() const { return static_cast<RowIndex>(begin_); }
  /// The rows of a set that is not dense.
  [[nodiscard]] std::span<const RowIndex> indices() const {
    return {index_->data() + begin_, count_};
  }
  /// Batch position of the i-th row; for output and tests, not for loops over rows.
  [[nodiscard]] RowIndex row_at(std::size_t position) const {
    return is_dense() ? static_cast<RowIndex>(begin_ + position) : indices()[position];
  }

  /// The same rows over another batch of the same length, as after Batch::with_column.
  [[nodiscard]] RowSet with_batch(BatchRef batch) const;
  /// `count` rows from `begin`, cut at the end; shares the index.
  [[nodiscard]] RowSet window(std::size_t begin, std::size_t count) const;

 private:
  BatchRef batch_;
  IndexRef index_;
  std::size_t begin_ = 0;
  std::size_t count_ = 0;
};

}  // namespace millrace::rows
