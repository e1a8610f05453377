#include "rows/dedupe.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "rows/key_groups.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/select.h"
#include "rows/sort_key.h"
#include "rows/stop_check.h"

namespace millrace::rows {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Groups are numbered in order of appearance, so a row is the first of its group when its number is
// the next new one.
base::Status mark_first(std::span<const std::uint32_t> ids,
                        std::span<std::uint8_t> keep,
                        const StopCheck& stop) {
  std::uint32_t seen = 0;
  return in_parts(ids.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const bool fresh = ids[i] == seen;
      keep[i] = fresh ? 1 : 0;
      seen += fresh ? 1 : 0;
    }
  });
}

// Marks, for each group, the row at its position in `best`.
base::Status mark_best(std::span<const std::uint32_t> best,
                       std::span<std::uint8_t> keep,
                       const StopCheck& stop) {
  MR_TRY_STATUS(fill_in_parts(keep, std::uint8_t{0}, stop));
  return in_parts(best.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t group = begin; group < end; ++group) keep[best[group]] = 1;
  });
}

// Says whether sort() by score, descending, would put the row at `left` before the row at `right`,
// which comes earlier in the input.
bool beats(const RowSet& rows, const SortColumn& score, std::size_t left, std::size_t right) {
  const RowIndex left_row = rows.row_at(left);
  const RowIndex right_row = rows.row_at(right);
  std::uint64_t left_bits = 0;
  std::uint64_t right_bits = 0;
  const bool left_present = score.load(left_row, left_bits);
  const bool right_present = score.load(right_row, right_bits);
  if (left_present != right_present) return left_present;
  if (left_bits != right_bits) return left_bits < right_bits;
  return rows.batch()->ids()[left_row] < rows.batch()->ids()[right_row];
}

// Finds the position of the row of each group that sort() by score descending would put first.
base::Status find_best(const RowSet& rows,
                       const SortColumn& score,
                       std::span<const std::uint32_t> ids,
                       std::span<std::uint32_t> best,
                       const StopCheck& stop) {
  MR_TRY_STATUS(fill_in_parts(best, kNone, stop));
  return in_parts(rows.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint32_t& leader = best[ids[i]];
      if (leader == kNone || beats(rows, score, i, leader)) leader = static_cast<std::uint32_t>(i);
    }
  });
}

}  // namespace

Result<RowSet> dedupe(const RowSet& rows, const DedupeOptions& options, RowScratch& scratch) {
  MR_TRY(const KeyGroups groups, group_by_keys(rows, options.keys, "dedupe.keys", scratch));
  Array<std::uint8_t> keep = scratch.make_array<std::uint8_t>(rows.size());
  if (options.keep == Keep::kFirst) {
    MR_TRY_STATUS(mark_first(groups.ids.span(), keep.span(), scratch.stop()));
    return filter(rows, keep.span(), scratch);
  }
  Array<std::uint32_t> best = scratch.make_array<std::uint32_t>(groups.group_count);
  if (options.keep == Keep::kLast) {
    MR_TRY_STATUS(in_parts(rows.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) best[groups.ids[i]] = static_cast<std::uint32_t>(i);
    }));
  } else {
    const SortKey key{.column = options.score, .direction = Direction::kDescending};
    MR_TRY(const SortColumn score, find_sort_column(*rows.batch(), key, "dedupe.score"));
    MR_TRY_STATUS(find_best(rows, score, groups.ids.span(), best.span(), scratch.stop()));
  }
  MR_TRY_STATUS(mark_best(best.span(), keep.span(), scratch.stop()));
  return filter(rows, keep.span(), scratch);
}

Result<RowSet> group_limit(const RowSet& rows,
                           std::span<const std::string> keys,
                           std::int64_t count,
                           RowScratch& scratch) {
  if (count < 0) {
    return fail(ErrorCode::kInvalidArgument,
                "Count must not be negative: " + std::to_string(count),
                "group_limit.count");
  }
  MR_TRY(const KeyGroups groups, group_by_keys(rows, keys, "group_limit.keys", scratch));
  Array<std::uint32_t> taken = scratch.make_array<std::uint32_t>(groups.group_count);
  MR_TRY_STATUS(fill_in_parts(taken.span(), 0U, scratch.stop()));
  Array<std::uint8_t> keep = scratch.make_array<std::uint8_t>(rows.size());
  MR_TRY_STATUS(in_parts(rows.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      keep[i] = std::int64_t{taken[groups.ids[i]]} < count ? 1 : 0;
      taken[groups.ids[i]] += keep[i];
    }
  }));
  return filter(rows, keep.span(), scratch);
}

}  // namespace millrace::rows
