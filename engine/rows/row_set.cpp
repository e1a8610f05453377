#include "rows/row_set.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/pooled_allocator.h"
#include "rows/batch.h"
#include "rows/row_scratch.h"

namespace millrace::rows {

RowSet::RowSet(BatchRef batch) : batch_(std::move(batch)), count_(batch_->row_count()) {}

RowSet::RowSet(BatchRef batch, Array<RowIndex> index)
    : batch_(std::move(batch)),
      index_(std::allocate_shared<const Array<RowIndex>>(base::PooledAllocator<Array<RowIndex>>(),
                                                         std::move(index))),
      count_(index_->size()) {}

RowSet RowSet::with_batch(BatchRef batch) const {
  MR_CHECK(batch->row_count() == batch_->row_count(), batch->row_count(), batch_->row_count());
  RowSet copy = *this;
  copy.batch_ = std::move(batch);
  return copy;
}

RowSet RowSet::window(std::size_t begin, std::size_t count) const {
  RowSet copy = *this;
  const std::size_t skipped = std::min(begin, count_);
  copy.begin_ += skipped;
  copy.count_ = std::min(count, count_ - skipped);
  return copy;
}

}  // namespace millrace::rows
