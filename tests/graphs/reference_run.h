#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "graph/format/spec.h"

namespace millrace::graph_reference {

using base::Duration;

struct Injection {
  Duration at{};
  std::string component;
  std::string value;
};

struct RunOptions {
  std::optional<std::int64_t> steps = {};
  std::optional<Duration> duration = {};
  bool until_idle = false;
  std::vector<Injection> injections = {};  ///< by time
};

/// What `core.stdout` prints.
struct OutputLine {
  std::string component;
  std::int64_t epoch = 0;
  Duration time{};
  std::string value;
  std::string correlation;
  std::string causation;
};

struct EpochSpan {
  std::string domain;
  std::int64_t number = 0;
  Duration begin{};
  Duration end{};
};

struct ExecutionSpan {
  std::string component;
  std::int64_t epoch = 0;
  Duration begin{};
  Duration duration{};
};

/// All that two ways to run a graph must agree on.
struct Outcome {
  std::string stop_reason = {};
  std::string error_code = {};  ///< of the error that is reported
  std::string error_component = {};
  std::map<std::string, std::int64_t> epochs = {};            ///< by domain
  std::vector<OutputLine> lines = {};                         ///< in order per component
  std::vector<EpochSpan> epoch_spans = {};                    ///< in order per domain
  std::vector<ExecutionSpan> executions = {};                 ///< in order per component
  std::map<std::string, double> metrics = {};                 ///< `name{label}`
  std::map<std::string, std::string> loop_stop_reasons = {};  ///< of the last run of each loop
  std::map<std::string, std::map<std::string, std::string>> tables = {};
};

/// Runs a valid graph in virtual time by the words of the contract: small, slow, obvious.
[[nodiscard]] Outcome run_reference(const graph::GraphSpec& spec, const RunOptions& options);

}  // namespace millrace::graph_reference
