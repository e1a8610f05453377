#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "support/figures.h"

// The measurements of `./dev bench serve`. Each adds its figures; with `smoke` it runs with tiny
// sizes, checks the answers and adds figures that mean nothing.

namespace millrace::bench {

/// What a run has found so far.
struct ServeReport {
  BenchOptions options;
  std::vector<Figure> figures = {};
  /// More members of the JSON file, each with a comma before it.
  std::string extra = {};
};

/// S54, and two loops of S58: a trivial plan beside the bare handler, that beside an echo.
[[nodiscard]] base::Status measure_layer(ServeReport& report);
/// S55: `complex_dag` over HTTP beside `rankd bench`, and allocations.
[[nodiscard]] base::Status measure_engine(ServeReport& report);
/// S55: instructions of requests over fake streams, beside those that were recorded.
[[nodiscard]] base::Status measure_instructions(ServeReport& report);
/// S56: metrics, log lines, traces and scrapes.
[[nodiscard]] base::Status measure_observation(ServeReport& report);
/// S35: what a refusal costs and how long it takes.
[[nodiscard]] base::Status measure_refusals(ServeReport& report);
/// S57 and S31: an open load from half of the peak to three times the peak, and a capacity that
/// halves and returns.
[[nodiscard]] base::Status measure_overload(ServeReport& report);
/// S58: reloads under load.
[[nodiscard]] base::Status measure_reloads(ServeReport& report);
/// S58: connections that rest.
[[nodiscard]] base::Status measure_idle(ServeReport& report);

}  // namespace millrace::bench
