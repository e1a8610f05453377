#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "rows/row_set.h"

namespace millrace::rows {

/// Maximal marginal relevance (Carbonell and Goldstein 1998). Exactly one of `same_keys` and
/// `features` is given; it says when two rows are alike.
struct MmrOptions {
  std::string score;       ///< an int or float column
  double lambda = 0.7;     ///< 1: relevance only; 0: difference only
  std::int64_t count = 0;  ///< how many rows are chosen
  /// Rows with equal keys have similarity 1, others 0. Null is a value like any other.
  std::span<const std::string> same_keys = {};
  /// Similarity is the cosine of the vectors these int, float or bool columns make; null, NaN and
  /// infinities count as 0, and a vector of zeros is like nothing (0).
  std::span<const std::string> features = {};
};

/// Chooses `count` rows one by one, in order: each time the row, the earliest of equals, with the
/// largest `lambda * relevance - (1 - lambda) * similarity`. Relevance is the score scaled linearly
/// from the least to the greatest finite score to [0, 1] (1 for all when they are equal); +inf is
/// 1; -inf, NaN and null are 0. Similarity is the greatest one to any row chosen before, 0 for the
/// first choice. Copies no column. Refuses a negative count and a lambda outside [0, 1].
///
/// Work: rows * count * features.
[[nodiscard]] base::Result<RowSet> diversify_mmr(const RowSet& rows,
                                                 const MmrOptions& options,
                                                 RowScratch& scratch);

}  // namespace millrace::rows
