#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "rows/row_set.h"

namespace millrace::rows {

/// At most `count_max` rows with one value of `column` among any `window` consecutive rows. Null is
/// a value like any other.
struct WindowRule {
  std::string column;
  std::int64_t count_max = 1;
  std::int64_t window = 1;
};

/// What to do when no row within the lookahead fits the rules.
enum class WhenStuck : std::uint8_t {
  kBreakRule,  ///< place the earliest row left, so that the result has all rows
  kDropRest,   ///< leave out the rows that are left, so that the rules always hold
};

struct DiversifyOptions {
  static constexpr std::int64_t kLookaheadDefault = 1000;

  std::span<const WindowRule> rules;
  WhenStuck when_stuck = WhenStuck::kBreakRule;
  /// How many of the remaining rows are tried for each place; bounds the work.
  std::int64_t lookahead = kLookaheadDefault;
};

/// Reorders the rows so that the rules hold, greedily: each place goes to the earliest row left
/// that breaks no rule together with the rows already placed. Copies no column. Refuses limits
/// below 1.
[[nodiscard]] base::Result<RowSet> diversify(const RowSet& rows,
                                             const DiversifyOptions& options,
                                             RowScratch& scratch);

}  // namespace millrace::rows
