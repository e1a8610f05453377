#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/rows/contest.h"

namespace millrace::bench {

/// A figure that must be reached, and what was measured.
struct Bar {
  std::string name;
  double value = 0;
  double limit = 0;
  bool at_most = true;

  [[nodiscard]] bool passed() const { return at_most ? value <= limit : value >= limit; }
};

/// Computes the bars from the measurements; bars without measurements are left out.
[[nodiscard]] std::vector<Bar> make_bars(std::span<const Measured> results);

/// Prints tables and bars for people.
[[nodiscard]] std::string print_text(std::span<const Measured> results, std::span<const Bar> bars);

/// Prints rows and bars for programs, one per line inside one JSON object. `commit` says which
/// commit was measured; empty if unknown.
[[nodiscard]] std::string print_json(std::span<const Measured> results,
                                     std::span<const Bar> bars,
                                     const std::string& commit);

}  // namespace millrace::bench
