#include "apps/topoexec/bench_command.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/topoexec/flags.h"
#include "apps/topoexec/graph_input.h"
#include "apps/topoexec/outcome.h"
#include "apps/topoexec/run_session.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/report/count_text.h"
#include "graph/report/run_report.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"

namespace millrace::topoexec {
namespace {

constexpr std::uint64_t kBenchSteps = 10'000;

/// One run.
struct BenchRun {
  double ms = 0;
  std::uint64_t epochs = 0;  ///< of all domains
  std::uint64_t invocations = 0;
};

struct BenchResult {
  std::vector<BenchRun> runs = {};  ///< by time
  graph::RuntimeRunnerResult last = {};

  [[nodiscard]] const BenchRun& median() const { return runs[runs.size() / 2]; }
};

double per_second(std::uint64_t count, double ms) {
  return ms <= 0 ? 0 : static_cast<double>(count) * 1000 / ms;
}

double ns_each(std::uint64_t count, double ms) {
  return count == 0 ? 0 : ms * 1e6 / static_cast<double>(count);
}

BenchRun run_once(const GraphInput& input,
                  const graph::RuntimeRunnerOptions& options,
                  graph::RuntimeRunnerResult& result) {
  const auto begin = std::chrono::steady_clock::now();
  result = graph::RuntimeRunner::run(input.graph, input.types, options);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  BenchRun run{.ms = taken.count(), .invocations = result.invocations};
  for (const graph::DomainEpochs& domain : result.epochs) run.epochs += domain.epochs;
  return run;
}

std::string bench_text(const GraphInput& input, const BenchResult& result) {
  const BenchRun& median = result.median();
  std::string text = base::format("{}: {} in {} time, {} and {} in the median one\n",
                                  input.graph.name,
                                  graph::count_text(result.runs.size(), "run"),
                                  input.flags.virtual_time ? "virtual" : "wall",
                                  graph::count_text(median.epochs, "epoch"),
                                  graph::count_text(median.invocations, "invocation"));
  const auto row = [&text](const char* name, const BenchRun& run) {
    text += base::format("  {:<8}{:>12.3f} ms{:>14.0f} epochs/s{:>12.1f} ns per invocation\n",
                         name,
                         run.ms,
                         per_second(run.epochs, run.ms),
                         ns_each(run.invocations, run.ms));
  };
  row("fastest", result.runs.front());
  row("median", median);
  row("slowest", result.runs.back());
  return text;
}

void write_bench(const GraphInput& input, const BenchResult& result, base::JsonWriter& json) {
  const BenchRun& median = result.median();
  json.begin_object();
  json.member("ok", true);
  json.member("graph", input.graph.name);
  json.member("virtual_time", input.flags.virtual_time);
  json.member("epochs", median.epochs);
  json.member("invocations", median.invocations);
  json.member("median_ms", median.ms);
  json.member("epochs_per_second", per_second(median.epochs, median.ms));
  json.member("invocation_ns", ns_each(median.invocations, median.ms));
  json.key("runs_ms");
  json.begin_array();
  for (const BenchRun& run : result.runs) json.value(run.ms);
  json.end_array();
  json.end_object();
}

}  // namespace

Outcome bench_graph(const GraphInput& input) {
  RunSession session(input.flags);
  graph::RuntimeRunnerOptions options = options_of(input.flags);
  if (!options.steps && !options.duration && !options.until_idle) options.steps = kBenchSteps;
  if (const base::Status checked = graph::check_options(input.graph, options); !checked) {
    return usage_error(checked.error().message());
  }
  session.prepare(options);
  BenchResult result;
  for (std::uint32_t i = 0; i < input.flags.repeat; ++i) {
    result.runs.push_back(run_once(input, options, result.last));
    if (!result.last.ok) {
      return {
          .exit_code = kRunFailed, .out = {}, .err = graph::run_summary(input.graph, result.last)};
    }
    // A run that was stopped says nothing about those that were not.
    if (options.stop_token.stop_requested()) {
      return {.exit_code = kRunFailed, .out = {}, .err = "topoexec: Stopped by a signal\n"};
    }
  }
  std::ranges::sort(result.runs, {}, &BenchRun::ms);
  Outcome outcome;
  if (input.flags.format != Format::kJson) {
    outcome.out = bench_text(input, result);
    return outcome;
  }
  base::JsonWriter json(outcome.out);
  write_bench(input, result, json);
  outcome.out += '\n';
  return outcome;
}

}  // namespace millrace::topoexec
