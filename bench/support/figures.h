#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace millrace::bench {

/// One measured figure, and the bars that it must not exceed or fall below, if there are any.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  std::optional<double> at_most = {};
  std::optional<double> at_least = {};

  [[nodiscard]] bool passed() const {
    return (!at_most || value <= *at_most) && (!at_least || value >= *at_least);
  }
};

/// The median of the values, which it sorts; 0 if there are none.
[[nodiscard]] double median(std::vector<double>& values);

/// Prints a table for people: value, unit, bar, verdict.
[[nodiscard]] std::string print_text(std::span<const Figure> figures);
/// Prints one JSON object with the machine and all figures. `extra` is empty or JSON of more
/// members, each with a comma before it.
[[nodiscard]] std::string print_json(std::string_view bench,
                                     std::span<const Figure> figures,
                                     std::string_view extra = {});

/// The command line of a small benchmark.
struct BenchOptions {
  std::string json_file;  ///< empty: text only
  bool smoke = false;     ///< tiny sizes: checks the answers, the times mean nothing
  bool enforce = false;   ///< a missed bar is a failure
};

/// Reads `--json FILE`, `--smoke` and `--enforce`.
[[nodiscard]] base::Result<BenchOptions> read_bench_options(std::span<char* const> arguments);
/// The body of a `main`: reads the options, runs, prints errors. Gives the exit code.
[[nodiscard]] int run_bench(std::span<char* const> arguments,
                            base::Status (*run)(const BenchOptions& options));
/// Writes the JSON file if one is asked for, with `extra` as `print_json` takes it; fails for a
/// missed bar if bars are enforced.
[[nodiscard]] base::Status conclude(std::string_view bench,
                                    std::span<const Figure> figures,
                                    const BenchOptions& options,
                                    std::string_view extra = {});
/// Writes the text to the file.
[[nodiscard]] base::Status write_file(const std::string& path, std::string_view text);

}  // namespace millrace::bench
