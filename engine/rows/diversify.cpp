#include "rows/diversify.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "rows/key_groups.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/stop_check.h"

namespace millrace::rows {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

base::Status check_at_least_one(std::int64_t value,
                                std::string_view name,
                                const std::string& where) {
  if (value >= 1) return {};
  return fail(ErrorCode::kInvalidArgument,
              "Must be at least 1: " + std::string(name) + " is " + std::to_string(value),
              where);
}

// The state of one rule: how many rows of each group are in the window before the next place.
class RuleState {
 public:
  static Result<RuleState> make(const RowSet& rows,
                                const WindowRule& rule,
                                const std::string& where,
                                RowScratch& scratch) {
    MR_TRY_STATUS(check_at_least_one(rule.count_max, "count_max", where));
    MR_TRY_STATUS(check_at_least_one(rule.window, "window", where));
    MR_TRY_STATUS(rows.batch()->get_column(rule.column, where + ".column"));
    MR_TRY(KeyGroups groups, group_by_keys(rows, std::span(&rule.column, 1), where, scratch));
    RuleState state(rule, std::move(groups), scratch);
    MR_TRY_STATUS(fill_in_parts(state.in_window_.span(), 0U, scratch.stop()));
    return state;
  }

  [[nodiscard]] bool fits(std::uint32_t position) const {
    return std::int64_t{in_window_[groups_.ids[position]]} < count_max_;
  }
  // `placed` are the positions placed so far, the newest last.
  void note(std::span<const std::uint32_t> placed) {
    ++in_window_[groups_.ids[placed.back()]];
    if (placed.size() >= window_) --in_window_[groups_.ids[placed[placed.size() - window_]]];
  }

 private:
  RuleState(const WindowRule& rule, KeyGroups groups, RowScratch& scratch)
      : count_max_(rule.count_max),
        window_(static_cast<std::size_t>(rule.window)),
        groups_(std::move(groups)),
        in_window_(scratch.make_array<std::uint32_t>(groups_.group_count)) {}

  std::int64_t count_max_;
  std::size_t window_;
  KeyGroups groups_;
  Array<std::uint32_t> in_window_;  // by group; the window ends before the next place
};

// The rows not yet placed, in input order: a linked list, so that any row can be removed.
class RowsLeft {
 public:
  static Result<RowsLeft> make(std::size_t count, RowScratch& scratch) {
    RowsLeft left(scratch.make_array<std::uint32_t>(count + 1));
    // Entry 0 is the head; entry i + 1 belongs to position i and holds the entry after it.
    MR_TRY_STATUS(in_parts(count, scratch.stop(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) left.next_[i] = static_cast<std::uint32_t>(i + 1);
    }));
    left.next_[count] = kEnd;
    return left;
  }

  static constexpr std::uint32_t kEnd = 0;
  static constexpr std::uint32_t kHead = 0;

  [[nodiscard]] std::uint32_t after(std::uint32_t entry) const { return next_[entry]; }
  // Removes the entry after `entry` and gives its position.
  std::uint32_t remove_after(std::uint32_t entry) {
    const std::uint32_t removed = next_[entry];
    next_[entry] = next_[removed];
    return removed - 1;
  }

 private:
  explicit RowsLeft(Array<std::uint32_t> next) : next_(std::move(next)) {}

  Array<std::uint32_t> next_;
};

// Gives the entry before the first entry within the lookahead that fits. Gives nothing if none fits
// or if the work was stopped.
std::optional<std::uint32_t> find_before_fit(const RowsLeft& left,
                                             std::span<const RuleState> rules,
                                             std::int64_t lookahead,
                                             const StopCheck& stop) {
  constexpr std::int64_t kTriesBetweenLooks = kStopCheckRows;
  std::uint32_t before = RowsLeft::kHead;
  for (std::int64_t tried = 0; tried < lookahead; ++tried) {
    const std::uint32_t entry = left.after(before);
    if (entry == RowsLeft::kEnd) break;
    if ((tried + 1) % kTriesBetweenLooks == 0 && stop.stop_requested()) break;
    const bool fits = std::all_of(rules.begin(), rules.end(), [entry](const RuleState& rule) {
      return rule.fits(entry - 1);
    });
    if (fits) return before;
    before = entry;
  }
  return std::nullopt;
}

// Places positions one by one; returns how many were placed.
Result<std::size_t> place_rows(std::span<std::uint32_t> placed,
                               std::span<RuleState> rules,
                               const DiversifyOptions& options,
                               RowScratch& scratch) {
  MR_TRY(RowsLeft left, RowsLeft::make(placed.size(), scratch));
  constexpr std::size_t kPlacesBetweenLooks = 32;
  const StopCheck& stop = scratch.stop();
  for (std::size_t count = 0; count < placed.size(); ++count) {
    if (count % kPlacesBetweenLooks == 0) MR_TRY_STATUS(stop.check());
    const std::optional<std::uint32_t> before =
        find_before_fit(left, rules, options.lookahead, stop);
    if (!before) MR_TRY_STATUS(stop.check());
    if (!before && options.when_stuck == WhenStuck::kDropRest) return count;
    placed[count] = left.remove_after(before.value_or(RowsLeft::kHead));
    for (RuleState& rule : rules) rule.note(placed.first(count + 1));
  }
  return placed.size();
}

}  // namespace

Result<RowSet> diversify(const RowSet& rows, const DiversifyOptions& options, RowScratch& scratch) {
  if (options.rules.empty()) {
    return fail(ErrorCode::kInvalidArgument, "No rule is given", "diversify.rules");
  }
  MR_TRY_STATUS(check_at_least_one(options.lookahead, "lookahead", "diversify.lookahead"));
  std::vector<RuleState> rules;
  rules.reserve(options.rules.size());
  for (std::size_t i = 0; i < options.rules.size(); ++i) {
    const std::string where = "diversify.rules[" + std::to_string(i) + "]";
    MR_TRY(RuleState rule, RuleState::make(rows, options.rules[i], where, scratch));
    rules.push_back(std::move(rule));
  }
  Array<std::uint32_t> placed = scratch.make_array<std::uint32_t>(rows.size());
  MR_TRY(const std::size_t count, place_rows(placed.span(), rules, options, scratch));
  placed.resize_within_capacity(count);
  MR_TRY_STATUS(in_parts(count, scratch.stop(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) placed[i] = rows.row_at(placed[i]);
  }));
  return RowSet(rows.batch(), std::move(placed));
}

}  // namespace millrace::rows
