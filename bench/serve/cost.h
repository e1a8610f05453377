#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "bench/serve/closed_load.h"
#include "bench/serve/rankd_process.h"
#include "bench/serve/served.h"
#include "support/figures.h"

namespace millrace::bench {

/// How much is measured.
struct Effort {
  int turns = 7;
  std::size_t requests = 30'000;

  [[nodiscard]] static Effort of(const BenchOptions& options) {
    return options.smoke ? Effort{.turns = 1, .requests = 300} : Effort{};
  }
};

/// Makes so many requests and gives CPU seconds of the server per request.
using Cost = std::function<base::Result<double>(std::size_t requests)>;

/// Medians over the turns; times in microseconds.
struct Compared {
  double first_us = 0;
  double second_us = 0;
  double ratio = 0;  ///< second / first
};
/// Measures both in turns, after a warm-up.
[[nodiscard]] base::Result<Compared> compare(const Effort& effort,
                                             const Cost& first,
                                             const Cost& second);

/// 64 clients of a server of this process.
[[nodiscard]] base::Result<Cost> cost_of(const Served& server, const std::string& request);
/// 64 clients of a process. `status` is that of every reply.
[[nodiscard]] base::Result<Cost> cost_of(const RankdProcess& process,
                                         const std::string& request,
                                         int status = 200);

}  // namespace millrace::bench
