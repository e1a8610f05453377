#pragma once

#include <optional>

#include "graph/record/divergence.h"
#include "graph/run/run_result.h"

namespace millrace::graph {

struct ReplayResult {
  std::optional<Divergence> first_divergence = {};
  RuntimeRunnerResult run = {};

  [[nodiscard]] bool is_same() const { return !first_divergence; }
};

struct ReplayOptions {
  bool trace = false;
  bool keep_outputs = false;
};

}  // namespace millrace::graph
