#pragma once

#include <string>
#include <vector>

#include "scheduler/bars.h"
#include "scheduler/options.h"
#include "scheduler/result.h"

namespace millrace::bench {

/// Everything that a report shows.
struct Report {
  Options options;
  std::vector<ProcessResult> processes;
  std::vector<Summary> summaries;
  std::vector<Bar> bars;
  /// The same bars with each thread on a processor of its own; empty if that was not measured.
  std::vector<Bar> pinned_bars;
};

[[nodiscard]] Report make_report(Options options, std::vector<ProcessResult> processes);

/// Prints tables, geometric means and bars for people.
[[nodiscard]] std::string print_text(const Report& report);

/// Prints rows and bars for programs, one row per line inside one JSON object.
[[nodiscard]] std::string print_json(const Report& report);

}  // namespace millrace::bench
