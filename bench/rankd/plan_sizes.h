#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "support/figures.h"

namespace millrace::bench {

enum class PlanShape : std::uint8_t {
  kChain,  ///< each node waits for the one before
  kWide,   ///< branches of one node, joined in pairs
};

/// One cell of the table: a plan, how many requests are under way, and how many threads work.
struct SizeCell {
  PlanShape shape = PlanShape::kChain;
  std::int64_t node_count = 10;
  std::int64_t in_flight = 1;
  std::uint32_t threads = 1;
};

/// What a process measured of one cell.
struct SizeResult {
  double cpu_us = 0;  ///< CPU of the whole process per request
  double p50_us = 0;
  double p99_us = 0;
  double rss_mb = 0;        ///< the most memory that the process had
  std::string answer = {};  ///< without what differs from request to request
};

/// A plan of `node_count` nodes, each of which computes one row.
[[nodiscard]] std::string make_sized_plan(PlanShape shape, std::int64_t node_count);

/// Measures every cell in processes of its own, so that one cell's memory is not counted for the
/// next, in several passes over all of them; prints the medians as a table unless it is a smoke
/// run, and judges them. `cells` gets all values, `figures` those that have bars. Fails if an
/// answer is wrong. Threading: the caller must be the process's only thread.
[[nodiscard]] base::Status measure_plan_sizes(bool smoke,
                                              std::vector<Figure>& figures,
                                              std::vector<Figure>& cells);

/// The name of the argument that makes this program measure one cell, and what it then does: the
/// cell comes as further arguments, the result goes to the standard output.
inline constexpr std::string_view kCellArgument = "--cell";
[[nodiscard]] base::Status run_cell(std::span<char* const> arguments);

}  // namespace millrace::bench
