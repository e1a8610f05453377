#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace millrace::rankd {

/// Counts of a histogram by bucket, and their sum in seconds.
struct TopHistogram {
  std::vector<std::uint64_t> buckets = {};
  double sum = 0;
};

/// What a server said about itself at one moment.
struct TopSample {
  std::map<std::string, std::map<std::string, double>> outcomes = {};      ///< by plan and outcome
  std::map<std::string, TopHistogram> durations = {};                      ///< by plan
  std::map<std::pair<std::string, std::string>, TopHistogram> nodes = {};  ///< by plan and node
  std::map<std::string, double> loop_busy = {};
  std::map<std::string, double> connections = {};
  std::map<std::string, double> plan_inflight = {};
  double received = 0;
  double inflight = 0;
  double limit = 0;
  double waiting = 0;
  double shed = 0;
  double cpu_seconds = 0;
};

/// Reads `/v1/stats`.
[[nodiscard]] base::Result<TopSample> read_top_sample(std::string_view json);

/// What happened between two samples.
struct TopView {
  struct Plan {
    std::string name;
    double rate = 0;  ///< answers per second, all outcomes
    double inflight = 0;
    double p50_ms = 0;
    double p99_ms = 0;
    double errors = 0;  ///< per second: outcomes error, deadline and invalid
    double degraded = 0;
    double shed = 0;
  };
  struct Loop {
    std::string name;
    double connections = 0;
    double busy = 0;  ///< share of the time
  };
  struct Node {
    std::string plan;
    std::string node;
    double mean_ms = 0;
    double p99_ms = 0;
    double share = 0;  ///< of the time of all nodes that were timed
  };
  double rate = 0;
  double inflight = 0;
  double limit = 0;
  double waiting = 0;
  double shed = 0;
  double cpu = 0;                ///< processors
  std::vector<Plan> plans = {};  ///< the busiest first
  std::vector<Loop> loops = {};
  std::vector<Node> nodes = {};  ///< the dearest first, at most ten
};

[[nodiscard]] TopView compare(const TopSample& before, const TopSample& after, double seconds);

/// A quantile of a histogram with the bounds of durations, in milliseconds; 0 without observations.
/// Inside a bucket observations count as evenly spread, as Prometheus has it.
[[nodiscard]] double quantile_ms(const TopHistogram& histogram, double quantile);

[[nodiscard]] std::string to_text(const TopView& view, std::string_view address);
[[nodiscard]] std::string to_json(const TopView& view);

}  // namespace millrace::rankd
