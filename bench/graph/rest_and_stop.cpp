#include <chrono>
#include <cstddef>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/measures.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime.h"
#include "loop/stop.h"
#include "support/figures.h"

namespace millrace::bench {
namespace {

constexpr double kIdlePercentMax = 0.1;
constexpr double kStopMsMax = 1;

/// All kinds of threads, and nothing to do: it waits for the host.
constexpr std::string_view kIdleGraph = R"(
schema_version: 1
graph: {name: idle, kind: internal_test}
lanes:
  main: {type: event_loop}
  pool: {type: thread_pool, max_threads: 2}
  apart: {type: isolated_thread}
components:
  - {id: in, type: core.input, execution: {lane: main}}
  - {id: work, type: core.linear, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: pool}}
  - {id: keep, type: core.linear, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: apart}}
edges:
  - {id: a, kind: immediate, from: in.out, to: work.in}
  - {id: b, kind: async, from: work.out, to: keep.in}
)";

/// Sleeps for ten seconds after its first tick.
constexpr std::string_view kSleepingGraph = R"(
schema_version: 1
graph: {name: sleeping, kind: internal_test}
lanes:
  tick: {type: fixed_rate, period: 10s, wall_clock_enabled: true}
components:
  - {id: source, type: core.counter, execution: {lane: tick}}
edges: []
)";

std::chrono::duration<double> processor_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return std::chrono::duration<double>(static_cast<double>(time.tv_sec) +
                                         static_cast<double>(time.tv_usec) * 1e-6);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

base::Result<graph::CompiledGraph> compile(std::string_view text,
                                           const graph::ComponentRegistry& registry) {
  graph::CompileResult compiled = graph::compile_text(text, graph::TextFormat::kYaml, registry);
  if (compiled.graph) return *std::move(compiled.graph);
  return base::fail(base::ErrorCode::kInternal, compiled.report.to_text("graph"));
}

base::Result<double> idle_percent(std::chrono::milliseconds rest) {
  const graph::ComponentRegistry registry = graph::builtin_registry();
  MR_TRY(const graph::CompiledGraph graph, compile(kIdleGraph, registry));
  graph::Runtime runtime(graph, registry, {});
  MR_TRY_STATUS(runtime.start());
  const auto begin = std::chrono::steady_clock::now();
  const auto used_before = processor_time();
  std::this_thread::sleep_for(rest);
  const std::chrono::duration<double> used = processor_time() - used_before;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  runtime.stop();
  return 100 * used / passed;
}

base::Result<double> stop_ms() {
  const graph::ComponentRegistry registry = graph::builtin_registry();
  MR_TRY(const graph::CompiledGraph graph, compile(kSleepingGraph, registry));
  loop::StopSource stop;
  graph::RuntimeRunnerOptions options;
  options.stop_token = stop.token();
  graph::Runtime runtime(graph, registry, std::move(options));
  MR_TRY_STATUS(runtime.start());
  while (runtime.result().epochs.front().epochs == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto begin = std::chrono::steady_clock::now();
  stop.request_stop();
  const graph::SchedulerStopReason reason = runtime.run();
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  if (reason == graph::SchedulerStopReason::kStopRequested) return taken.count();
  return base::fail(base::ErrorCode::kInternal, "The graph did not stop because it was asked to");
}

}  // namespace

base::Status measure_rest(const BenchOptions& options, Figures& figures) {
  MR_TRY(const double idle, idle_percent(std::chrono::milliseconds(options.smoke ? 20 : 5000)));
  figures.push_back({"idle graph: share of one processor", idle, "%", kIdlePercentMax});
  std::vector<double> times;
  for (int i = 0; i < (options.smoke ? 2 : 100); ++i) {
    MR_TRY(const double taken, stop_ms());
    times.push_back(taken);
  }
  figures.push_back({"stop during a sleep, median of 100", median(times), "ms", kStopMsMax});
  figures.push_back({"  the slowest", times.back(), "ms"});
  return {};
}

}  // namespace millrace::bench
