// A row is one number here: the first key, whose lowest bits give way to the row's position. So
// selecting and sorting move half as much as with key and row side by side, and compare without a
// second look. Rows whose keys differ in those lowest bits only, or not at all, are put in order
// afterwards; at the cut that would need the rows beyond it, so there it is left to others.
#include "rows/packed_top_k.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "base/result.h"
#include "rows/quick_order.h"
#include "rows/row_order.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/sort_key.h"
#include "rows/stop_check.h"

namespace millrace::rows {

namespace {

// Writes the numbers of all rows; false if one of them has no key.
bool pack(const RowSet& rows,
          const SortColumn& key,
          std::uint64_t position_mask,
          std::uint64_t* out) {
  if (key.column->has_nulls()) return false;
  const std::uint64_t flip = key.direction == Direction::kDescending ? ~std::uint64_t{0} : 0;
  bool is_missing = false;
  with_key_loader(key, [&](auto load) {
    const auto pack_rows = [&, count = rows.size(), flip](auto row_of) {
      // Local, and without a branch: so the loop vectorises.
      unsigned missing = 0;
      for (std::size_t position = 0; position < count; ++position) {
        const auto value = load(row_of(position));
        missing |= orders_as_null(value) ? 1 : 0;
        out[position] = ((ordered_bits(value) ^ flip) & ~position_mask) | position;
      }
      is_missing = missing != 0;
    };
    if (rows.is_dense()) {
      pack_rows([first = rows.first_row()](std::size_t position) {
        return first + static_cast<RowIndex>(position);
      });
    } else {
      pack_rows([index = rows.indices().data()](std::size_t position) { return index[position]; });
    }
  });
  return !is_missing;
}

// Puts runs of numbers that differ in their positions only in the order of their rows.
void settle_ties(std::span<std::uint64_t> packed,
                 const RowSet& rows,
                 const RowOrder& order,
                 std::uint64_t position_mask) {
  const auto place = [&](std::uint64_t number) {
    const auto position = static_cast<std::uint32_t>(number & position_mask);
    return PlacedRow{rows.row_at(position), position};
  };
  unsigned tied = 0;
  for (std::size_t i = 1; i < packed.size(); ++i)
    tied |= (packed[i] ^ packed[i - 1]) <= position_mask ? 1 : 0;
  if (tied == 0) [[likely]]
    return;
  for (std::size_t begin = 0; begin < packed.size();) {
    std::size_t end = begin + 1;
    while (end < packed.size() && (packed[end] ^ packed[begin]) <= position_mask) ++end;
    if (end - begin > 1) {
      std::sort(
          packed.data() + begin, packed.data() + end, [&](std::uint64_t left, std::uint64_t right) {
            return order(place(left), place(right));
          });
    }
    begin = end;
  }
}

}  // namespace

base::Result<Array<RowIndex>> top_k_packed(const RowSet& rows,
                                           std::span<const SortColumn> keys,
                                           std::size_t wanted,
                                           RowScratch& scratch) {
  const std::uint64_t position_mask = std::bit_ceil(rows.size()) - 1;
  Array<std::uint64_t> packed = scratch.make_array<std::uint64_t>(rows.size());
  if (!pack(rows, keys.front(), position_mask, packed.data())) return Array<RowIndex>();
  std::uint64_t* const begin = packed.data();
  std::uint64_t* const cut = begin + wanted;
  std::uint64_t* const end = begin + packed.size();
  StopPacer pacer(scratch.stop());
  if (!quick_select(begin, cut - 1, end, std::less(), pacer)) return scratch.stop().stopped();
  const std::uint64_t tie_max = cut[-1] | position_mask;
  if (std::any_of(cut, end, [=](std::uint64_t number) { return number <= tie_max; }))
    return Array<RowIndex>();
  if (!quick_sort(begin, cut, std::less(), pacer)) return scratch.stop().stopped();
  settle_ties({begin, wanted}, rows, RowOrder(keys, rows.batch()->ids()), position_mask);
  Array<RowIndex> index = scratch.make_array<RowIndex>(wanted);
  for (std::size_t i = 0; i < wanted; ++i) index[i] = rows.row_at(begin[i] & position_mask);
  return index;
}

}  // namespace millrace::rows
