#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "rows/row_set.h"

namespace millrace::rows {

/// Weaves the inputs by a pattern of letters, `a` for the first input: "aab" takes two rows of the
/// first, one of the second, and so on around. A letter whose input has run out is passed over; the
/// result has all rows of all inputs. Columns are united as in concat(). Refuses a letter without
/// an input and an input without a letter.
[[nodiscard]] base::Result<RowSet> interleave_pattern(std::span<const RowSet> inputs,
                                                      std::string_view pattern,
                                                      RowScratch& scratch);

/// Weaves the inputs in proportion to their weights. The next row comes from the input with the
/// least (2 * taken + 1) / weight among those with rows left, where `taken` counts the rows it has
/// given; of equal ones the first is used (the divisor method of Webster and Sainte-Lague). The
/// result has all rows of all inputs. Columns are united as in concat(). Refuses weights that are
/// not finite and positive.
[[nodiscard]] base::Result<RowSet> interleave_weighted(std::span<const RowSet> inputs,
                                                       std::span<const double> weights,
                                                       RowScratch& scratch);

}  // namespace millrace::rows
