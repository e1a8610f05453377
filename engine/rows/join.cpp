#include "rows/join.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "rows/batch.h"
#include "rows/gather.h"
#include "rows/key_groups.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/select.h"
#include "rows/stop_check.h"

namespace millrace::rows {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

// Right columns are spread over the whole left batch only when the left set holds at least one in
// this many of the batch's rows; otherwise copying the left columns is cheaper.
constexpr std::size_t kSpreadFactor = 4;

// The right rows of each key, in right order: those of key g are rows[starts[g], starts[g + 1]).
struct RightRows {
  Array<std::uint32_t> starts;
  Array<RowIndex> rows;

  [[nodiscard]] std::span<const RowIndex> of(std::uint32_t group) const {
    if (group == kNoGroup) return {};
    return rows.span().subspan(starts[group], starts[group + 1] - starts[group]);
  }
};

Result<RightRows> collect_right(const RowSet& right, const KeyGroups& groups, RowScratch& scratch) {
  RightRows collected{.starts = scratch.make_array<std::uint32_t>(groups.group_count + 1U),
                      .rows = scratch.make_array<RowIndex>(right.size())};
  const std::span<std::uint32_t> starts = collected.starts.span();
  const StopCheck& stop = scratch.stop();
  MR_TRY_STATUS(fill_in_parts(starts, 0U, stop));
  MR_TRY_STATUS(in_parts(right.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (groups.ids[i] != kNoGroup) ++starts[groups.ids[i]];
    }
  }));
  // Each start is first set to the end of its group. Rows are then filled in from the last to the
  // first, and each moves its group's start back by one.
  std::uint32_t group_end = 0;
  MR_TRY_STATUS(in_parts(starts.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) starts[i] = group_end += starts[i];
  }));
  MR_TRY_STATUS(in_parts(right.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t position = right.size() - 1 - i;
      const std::uint32_t group = groups.ids[position];
      if (group != kNoGroup) collected.rows[--starts[group]] = right.row_at(position);
    }
  }));
  return collected;
}

// Right columns that enter the result, under their new names.
Result<NamedColumns> right_columns(const RowSet& right, const JoinOptions& options) {
  NamedColumns columns;
  for (const JoinColumn& wanted : options.right_columns) {
    if (wanted.new_name == kIdColumn) {
      return fail(ErrorCode::kInvalidArgument, "Column id cannot be written", "join.right_columns");
    }
    MR_TRY(const Column* ignored, right.batch()->get_column(wanted.name, "join.right_columns"));
    static_cast<void>(ignored);
    for (const NamedColumn& entry : right.batch()->columns()) {
      if (entry.name != wanted.name) continue;
      columns.push_back({.name = wanted.new_name, .column = entry.column});
    }
  }
  return columns;
}

// Left columns but for those that right ones replace.
NamedColumns left_columns(const RowSet& left, const NamedColumns& right) {
  NamedColumns columns;
  columns.reserve(left.batch()->columns().size() + right.size());
  for (const NamedColumn& entry : left.batch()->columns()) {
    if (std::ranges::find(right, entry.name, &NamedColumn::name) == right.end()) {
      columns.push_back(entry);
    }
  }
  return columns;
}

Result<RowSet> keep_matched(const RowSet& left,
                            std::span<const std::uint32_t> left_ids,
                            bool wanted,
                            RowScratch& scratch) {
  Array<std::uint8_t> keep = scratch.make_array<std::uint8_t>(left.size());
  MR_TRY_STATUS(in_parts(left.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      keep[i] = (left_ids[i] != kNoGroup) == wanted ? 1 : 0;
    }
  }));
  return filter(left, keep.span(), scratch);
}

// What a join has found: how often each left row appears, and with which right rows.
struct Matches {
  std::span<const std::uint32_t> left_ids;
  RightRows right;
  bool keeps_unmatched = false;
  std::size_t row_count = 0;
  bool is_unique = true;  // no left row has two matches
};

Result<Matches> find_matches(const RowSet& right,
                             const MatchedGroups& groups,
                             JoinKind kind,
                             RowScratch& scratch) {
  Matches matches{
      .left_ids = groups.left_ids.span(), .right = {}, .keeps_unmatched = kind == JoinKind::kLeft};
  MR_TRY(matches.right, collect_right(right, groups.right, scratch));
  const std::size_t left_count = matches.left_ids.size();
  MR_TRY_STATUS(in_parts(left_count, scratch.stop(), [&](std::size_t begin, std::size_t end) {
    for (const std::uint32_t group : matches.left_ids.subspan(begin, end - begin)) {
      const std::size_t found = matches.right.of(group).size();
      matches.row_count += std::max<std::size_t>(found, matches.keeps_unmatched ? 1 : 0);
      matches.is_unique &= found <= 1;
    }
  }));
  MR_TRY_STATUS(scratch.stop().check_rows(matches.row_count));
  if (matches.row_count > kBatchRowsMax) {
    return fail(ErrorCode::kResourceExhausted,
                "Too many rows for one batch: " + std::to_string(matches.row_count),
                "join");
  }
  return matches;
}

// Keeps the left batch and spreads the right values over its rows.
Result<RowSet> join_in_place(const RowSet& left,
                             const Matches& matches,
                             NamedColumns right,
                             RowScratch& scratch) {
  Array<RowIndex> source = scratch.make_array<RowIndex>(left.batch()->row_count());
  MR_TRY_STATUS(fill_in_parts(source.span(), kNoRow, scratch.stop()));
  Array<RowIndex> index = scratch.make_array<RowIndex>(matches.row_count);
  std::size_t next = 0;
  MR_TRY_STATUS(in_parts(left.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const RowIndex> found = matches.right.of(matches.left_ids[i]);
      if (found.empty() && !matches.keeps_unmatched) continue;
      const RowIndex row = left.row_at(i);
      if (!found.empty()) source[row] = found.front();
      index[next++] = row;
    }
  }));
  NamedColumns columns = left_columns(left, right);
  for (NamedColumn& entry : right) {
    MR_TRY(entry.column, gather(*entry.column, source.span(), scratch));
    columns.push_back(std::move(entry));
  }
  MR_TRY(BatchRef batch, Batch::make(std::move(columns)));
  return RowSet(std::move(batch), std::move(index));
}

// Copies both sides into a batch of their own.
Result<RowSet> join_by_copy(const RowSet& left,
                            const Matches& matches,
                            NamedColumns right,
                            RowScratch& scratch) {
  Array<RowIndex> left_rows = scratch.make_array<RowIndex>(matches.row_count);
  Array<RowIndex> right_rows = scratch.make_array<RowIndex>(matches.row_count);
  StopPacer pacer(scratch.stop());
  std::size_t next = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::span<const RowIndex> found = matches.right.of(matches.left_ids[i]);
    const RowIndex row = left.row_at(i);
    if (!pacer.go_on(found.size() + 1)) return scratch.stop().stopped();
    for (const RowIndex match : found) {
      left_rows[next] = row;
      right_rows[next++] = match;
    }
    if (found.empty() && matches.keeps_unmatched) {
      left_rows[next] = row;
      right_rows[next++] = kNoRow;
    }
  }
  NamedColumns columns = left_columns(left, right);
  for (NamedColumn& entry : columns) {
    MR_TRY(entry.column, gather(*entry.column, left_rows.span(), scratch));
  }
  for (NamedColumn& entry : right) {
    MR_TRY(entry.column, gather(*entry.column, right_rows.span(), scratch));
    columns.push_back(std::move(entry));
  }
  MR_TRY(BatchRef batch, Batch::make(std::move(columns)));
  return RowSet(std::move(batch));
}

}  // namespace

Result<RowSet> join(const RowSet& left,
                    const RowSet& right,
                    const JoinOptions& options,
                    RowScratch& scratch) {
  MR_TRY(const MatchedGroups groups, match_keys(left, right, options.keys, scratch));
  if (options.kind == JoinKind::kSemi || options.kind == JoinKind::kAnti) {
    return keep_matched(left, groups.left_ids.span(), options.kind == JoinKind::kSemi, scratch);
  }
  MR_TRY(NamedColumns columns, right_columns(right, options));
  MR_TRY(const Matches matches, find_matches(right, groups, options.kind, scratch));
  const bool dense_enough = left.batch()->row_count() <= kSpreadFactor * left.size();
  if (matches.is_unique && dense_enough) {
    return join_in_place(left, matches, std::move(columns), scratch);
  }
  return join_by_copy(left, matches, std::move(columns), scratch);
}

}  // namespace millrace::rows
