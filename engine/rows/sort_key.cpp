#include "rows/sort_key.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/result.h"
#include "rows/batch.h"
#include "rows/column.h"

namespace millrace::rows {

bool SortColumn::load(RowIndex row, std::uint64_t& bits) const {
  if (column->is_null(row)) return false;
  bool present = false;
  with_key_loader(*this, [&](auto load_value) {
    const auto value = load_value(row);
    present = !orders_as_null(value);
    if (!present) return;
    bits = ordered_bits(value);
    if (direction == Direction::kDescending) bits = ~bits;
  });
  return present;
}

base::Result<SortColumn> find_sort_column(const Batch& batch,
                                          const SortKey& key,
                                          std::string_view where) {
  MR_TRY(const Column* column, batch.get_column(key.column, where));
  std::span<const std::int32_t> sort_positions;
  if (column->type() == ColumnType::kString)
    sort_positions = column->dictionary()->sort_positions();
  return SortColumn{.column = column, .direction = key.direction, .sort_positions = sort_positions};
}

base::Result<std::vector<SortColumn>> find_sort_columns(const Batch& batch,
                                                        std::span<const SortKey> keys,
                                                        std::string_view where) {
  if (keys.empty()) {
    return base::fail(
        base::ErrorCode::kInvalidArgument, "No sort key is given", std::string(where));
  }
  std::vector<SortColumn> found;
  found.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    // Formatting the place of a key costs more than finding its column, so it is done only for an
    // error.
    auto column = find_sort_column(batch, keys[i], {});
    if (!column) [[unlikely]]
      column = find_sort_column(batch, keys[i], base::format("{}[{}]", where, i));
    MR_TRY(const SortColumn known, std::move(column));
    found.push_back(known);
  }
  return found;
}

}  // namespace millrace::rows
