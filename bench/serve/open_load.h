#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace millrace::bench {

/// One request of an open load.
struct Answered {
  double due_s = 0;    ///< when it should be sent, from the begin of the load
  double took_ms = 0;  ///< from then to its reply
  int status = 0;      ///< 0: the connection broke
};

/// Clients that come by themselves, whether others have their replies or not: the times between
/// them are exponential. A request that finds no free connection waits, and that counts.
struct OpenLoadOptions {
  std::uint16_t port = 0;
  double rate = 0;  ///< requests per second
  double seconds = 0;
  /// The request that is due then.
  std::function<const std::string&(double due_s)> request;
  std::size_t connections_max = 768;
  std::uint64_t seed = 1;
};

/// Makes the load on the calling thread, which it keeps busy, and waits for the last reply.
[[nodiscard]] base::Result<std::vector<Answered>> make_open_load(const OpenLoadOptions& options);

/// What became of the requests that were due within a time.
struct LoadSummary {
  double goodput = 0;  ///< replies with 200 per second
  double p50_ms = 0;   ///< of those
  double p99_ms = 0;
  std::size_t refused_count = 0;  ///< 503
  std::size_t failed_count = 0;   ///< anything else
};
[[nodiscard]] LoadSummary summarize(std::span<const Answered> answers, double from_s, double to_s);

/// A quantile of values, which it sorts; 0 if there are none.
[[nodiscard]] double quantile(std::vector<double>& values, double share);

}  // namespace millrace::bench
