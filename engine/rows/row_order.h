#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rows/batch.h"
#include "rows/sort_key.h"

namespace millrace::rows {

/// A row and where it stands in the input of an operator.
struct PlacedRow {
  RowIndex row;
  std::uint32_t position;
};

/// The order that sort() makes, row against row: each key in turn, then id, then position. Slow:
/// for the few rows that a faster way finds equal.
/// Threading: any thread. Lifetime: borrows its arguments.
class RowOrder {
 public:
  RowOrder(std::span<const SortColumn> keys, std::span<const std::int64_t> ids)
      : keys_(keys), ids_(ids) {}

  [[nodiscard]] bool operator()(PlacedRow left, PlacedRow right) const {
    for (const SortColumn& key : keys_) {
      std::uint64_t left_bits = 0;
      std::uint64_t right_bits = 0;
      const bool left_present = key.load(left.row, left_bits);
      const bool right_present = key.load(right.row, right_bits);
      if (left_present != right_present) return left_present;
      if (left_bits != right_bits) return left_bits < right_bits;
    }
    if (ids_[left.row] != ids_[right.row]) return ids_[left.row] < ids_[right.row];
    return left.position < right.position;
  }

 private:
  std::span<const SortColumn> keys_;
  std::span<const std::int64_t> ids_;
};

}  // namespace millrace::rows
