#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/rows/contest.h"
#include "bench/rows/rival_process.h"

namespace millrace::bench {

/// Sizes and rivals. Data files are written only if there are rivals to read them.
struct ContestSetup {
  std::vector<std::size_t> pipeline_rows;
  std::size_t set_rows = 0;
  std::vector<std::size_t> distinct_counts;  ///< of the regex curve over distinct values
  std::vector<std::size_t> regex_rows;       ///< of the regex curve over rows
  RivalProcess* rivals = nullptr;            ///< nullptr: only engines of this process
};

/// Contests are made one by one, so that only one has its data in memory. `on_contest` is called
/// with each and must not use it after it returns.
using OnContest = std::function<base::Status(const Contest&)>;

/// Adds DuckDB and Polars to the contest, if they are running. `file_rows` is the number in the
/// name of their data files, if it differs from the contest's.
void add_rivals(Contest& contest, const ContestSetup& setup, std::size_t file_rows = 0);

/// The pipeline and its parts.
[[nodiscard]] base::Status run_pipeline_contests(const ContestSetup& setup,
                                                 const OnContest& on_contest);
/// Concat, dedupe, join and regex.
[[nodiscard]] base::Status run_set_contests(const ContestSetup& setup, const OnContest& on_contest);

}  // namespace millrace::bench
