#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/measures.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"
#include "support/figures.h"

namespace millrace::bench {
namespace {

constexpr std::uint32_t kBodies = 512;
/// Two threads are at least 1.6 times as fast as one.
constexpr double kShareOfOneMax = 1 / 1.6;

/// Milliseconds per epoch of 512 bodies that keep a processor busy for 1 us each.
base::Result<double> epoch_ms(std::uint32_t threads, std::uint64_t epochs) {
  const std::string text = base::format(
      "schema_version: 1\ngraph: {{name: bench, kind: internal_test}}\nlanes:\n"
      "  main: {{type: event_loop}}\n  pool: {{type: thread_pool, max_threads: {0}}}\n"
      "components:\n"
      "  - {{id: source, type: core.counter, config: {{per_invocation: {1}}}, execution: {{lane: "
      "main}}}}\n"
      "  - {{id: work, type: core.spend, config: {{cost: 1us, busy: true}}, trigger_policy: "
      "{{type: any_input, inputs: [in]}}, execution: {{lane: pool, reentrant: true}}}}\n"
      "edges:\n"
      "  - {{id: e, kind: immediate, from: source.out, to: work.in, policy: {{mode: queue, "
      "capacity: {1}}}}}\n",
      threads,
      kBodies);
  const graph::ComponentRegistry registry = graph::builtin_registry();
  const graph::CompileResult compiled =
      graph::compile_text(text, graph::TextFormat::kYaml, registry);
  if (!compiled.graph) {
    return base::fail(base::ErrorCode::kInternal, compiled.report.to_text("pool"));
  }
  graph::RuntimeRunnerOptions options;
  options.steps = epochs;
  const auto begin = std::chrono::steady_clock::now();
  const graph::RuntimeRunnerResult result =
      graph::RuntimeRunner::run(*compiled.graph, registry, options);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  if (!result.ok || result.invocations != epochs * (kBodies + 1)) {
    return base::fail(
        base::ErrorCode::kInternal,
        base::format("The pool ran {} invocations in {} epochs", result.invocations, epochs));
  }
  return taken.count() / static_cast<double>(epochs);
}

}  // namespace

base::Status measure_pool(const BenchOptions& options, Figures& figures) {
  const std::uint64_t epochs = options.smoke ? 2 : 200;
  const std::size_t turns = options.smoke ? 1 : 21;
  std::vector<double> one_ms;
  std::vector<double> two_ms;
  std::vector<double> shares;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    MR_TRY(const double one, epoch_ms(1, epochs));
    MR_TRY(const double two, epoch_ms(2, epochs));
    one_ms.push_back(one);
    two_ms.push_back(two);
    shares.push_back(two / one);
  }
  figures.push_back(
      {base::format("pool, {} bodies of 1 us: epoch on 1 thread", kBodies), median(one_ms), "ms"});
  figures.push_back({"  epoch on 2 threads", median(two_ms), "ms"});
  figures.push_back({"  2 threads over 1 thread", median(shares), "x", kShareOfOneMax});
  return {};
}

}  // namespace millrace::bench
