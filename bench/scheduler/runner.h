#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "scheduler/engine.h"
#include "scheduler/options.h"
#include "scheduler/result.h"
#include "scheduler/suite.h"

namespace millrace::bench {

/// How far the measurements of a process have come.
struct Progress {
  std::size_t done = 0;
  std::size_t total = 0;
};

/// Receives the measurements of a process one by one.
struct Listener {
  std::function<void(const MachineFacts&)> on_end;
  std::function<void(const Measurement&)> on_measurement;
  std::function<void(Progress)> on_progress;
};

/// Lists the cases that `options` ask for.
[[nodiscard]] std::vector<Case> choose_cases(const Options& options);

/// Lists the engines that `options` ask for on a case. Unless named explicitly, the serial loop and
/// the variants of the subject are not run on narrow fans: they would only add minutes.
[[nodiscard]] std::vector<EngineEntry> choose_engines(const Options& options, const Case& entry);

/// Measures everything that `options` ask for in this process.
void run_suite(const Options& options, const Listener& listener);

}  // namespace millrace::bench
