#pragma once

#include <cstdint>

#include "base/result.h"
#include "rows/row_set.h"

namespace millrace::rows {

/// The number that decides about a row: `mix(id xor mix(seed))`, where mix is one step of
/// SplitMix64, the first number of `base::SplitMix64(x)`. It depends on seed and id only, so the
/// decision about a row is the same in every set, order and thread.
[[nodiscard]] std::uint64_t sample_hash(std::uint64_t seed, std::int64_t id);

/// Keeps the `count` rows with the least sample_hash (the earlier of equals), in input order.
/// Refuses a negative count.
[[nodiscard]] base::Result<RowSet> sample_count(const RowSet& rows,
                                                std::int64_t count,
                                                std::uint64_t seed,
                                                RowScratch& scratch);

/// Keeps each row whose sample_hash, its upper 53 bits read as a fraction of 1, is below `rate`, in
/// input order. Refuses a rate outside [0, 1].
[[nodiscard]] base::Result<RowSet> sample_rate(const RowSet& rows,
                                               double rate,
                                               std::uint64_t seed,
                                               RowScratch& scratch);

}  // namespace millrace::rows
