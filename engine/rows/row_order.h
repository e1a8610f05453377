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

/// Says whether one row comes before another in the order that sort() makes: each key in turn, then
/// id, then position. Slow: use it only for the few rows that a faster comparison finds equal.
/// `Placed` is any type with a `row` and a `position`, taken by reference: passing copies of those
/// two fields makes the compiler move larger values in pieces.
template <class Placed>
[[nodiscard]] bool comes_before(std::span<const SortColumn> keys,
                                std::span<const std::int64_t> ids,
                                const Placed& left,
                                const Placed& right) {
  for (const SortColumn& key : keys) {
    std::uint64_t left_bits = 0;
    std::uint64_t right_bits = 0;
    const bool left_present = key.load(left.row, left_bits);
    const bool right_present = key.load(right.row, right_bits);
    if (left_present != right_present) return left_present;
    if (left_bits != right_bits) return left_bits < right_bits;
  }
  if (ids[left.row] != ids[right.row]) return ids[left.row] < ids[right.row];
  return left.position < right.position;
}

}  // namespace millrace::rows
