#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace millrace::graph {

/// What a running graph says of itself at one moment; see `write_status_json`.
struct LiveSample {
  /// One lane, component or edge with its metrics, by the last part of their names.
  struct Place {
    std::string id;
    std::map<std::string, double, std::less<>> values = {};

    [[nodiscard]] double value(std::string_view name) const;
  };
  struct Epochs {
    std::string domain;
    double count = 0;
  };

  std::string graph;
  std::string status;
  double time_ms = 0;
  double invocations = 0;
  std::vector<Epochs> domains = {};
  std::vector<Place> lanes = {};
  std::vector<Place> components = {};
  std::vector<Place> edges = {};
  std::vector<std::string> health = {};  ///< a line each
  std::vector<std::string> errors = {};
};

/// Reads what `write_status_json` wrote, here or in another process.
[[nodiscard]] base::Result<LiveSample> read_live_sample(std::string_view status_json);

struct LiveTableOptions {
  std::size_t rows_max = 0;  ///< lines of the table; 0: as many as there are
};

/// The sample for people: domains, lanes, components, edges and what is wrong. Rates are those
/// since `before`, or since the start if there is none. What does not fit is counted.
[[nodiscard]] std::string live_table(const LiveSample& now,
                                     const LiveSample* before,
                                     const LiveTableOptions& options = {});

}  // namespace millrace::graph
