#include "rows/select.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "rows/row_mask.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/stop_check.h"

namespace millrace::rows {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

Result<std::size_t> checked_count(std::int64_t count, std::string_view where) {
  if (count >= 0) return static_cast<std::size_t>(count);
  return fail(ErrorCode::kInvalidArgument,
              "Count must not be negative: " + std::to_string(count),
              std::string(where));
}

}  // namespace

std::size_t compact_dense(std::span<const std::uint8_t> keep, RowIndex base, RowIndex* out) {
  std::size_t kept = 0;
  std::size_t i = 0;
  for (; i + kMaskRows <= keep.size(); i += kMaskRows) {
    const std::uint8_t mask = mask_of_bytes(keep.data() + i);
    kept += write_mask_rows(mask, base + static_cast<RowIndex>(i), out + kept);
  }
  for (; i < keep.size(); ++i) {
    out[kept] = base + static_cast<RowIndex>(i);
    kept += keep[i];
  }
  return kept;
}

std::size_t compact_indexed(std::span<const std::uint8_t> keep,
                            std::span<const RowIndex> index,
                            RowIndex* out) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    out[kept] = index[i];
    kept += keep[i];
  }
  return kept;
}

Result<RowSet> filter(const RowSet& rows, std::span<const std::uint8_t> keep, RowScratch& scratch) {
  if (keep.size() != rows.size()) {
    return fail(ErrorCode::kInvalidArgument,
                "Mask and rows differ in length: " + std::to_string(keep.size()) + " and " +
                    std::to_string(rows.size()),
                "filter.keep");
  }
  Array<RowIndex> index = scratch.make_array<RowIndex>(rows.size());
  std::size_t kept = 0;
  MR_TRY_STATUS(in_parts(rows.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
    const std::span<const std::uint8_t> part = keep.subspan(begin, end - begin);
    RowIndex* out = index.data() + kept;
    kept += rows.is_dense()
                ? compact_dense(part, rows.first_row() + static_cast<RowIndex>(begin), out)
                : compact_indexed(part, rows.indices().subspan(begin, end - begin), out);
  }));
  index.resize_within_capacity(kept);
  return RowSet(rows.batch(), std::move(index));
}

Result<RowSet> take(const RowSet& rows, std::int64_t count) {
  MR_TRY(const std::size_t wanted, checked_count(count, "take.count"));
  return rows.window(0, wanted);
}

Result<RowSet> skip(const RowSet& rows, std::int64_t count) {
  MR_TRY(const std::size_t skipped, checked_count(count, "skip.count"));
  return rows.window(skipped, rows.size());
}

}  // namespace millrace::rows
