// How long it takes to read, check and compile a graph file, by size: the time per component must
// not grow.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/random.h"
#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/measures.h"
#include "support/figures.h"

namespace millrace::bench {
namespace {

constexpr std::size_t kLargest = 4096;
constexpr double kLargestMsMax = 100;

/// A file of so many components and twice as many edges: a chain, and as many edges forward.
std::string graph_text(std::size_t count) {
  base::SplitMix64 random(3);
  std::string text =
      "schema_version: 1\ngraph: {name: bench, kind: internal_test}\n"
      "lanes:\n  main: {type: event_loop}\n  pool: {type: thread_pool, max_threads: 4}\n"
      "components:\n  - {id: c0, type: core.counter, config: {count: 9}, execution: {lane: "
      "main}}\n";
  for (std::size_t i = 1; i < count; ++i) {
    text += base::format(
        "  - {{id: c{}, type: core.linear, config: {{factor: 2}}, trigger_policy: {{type: "
        "any_input, "
        "inputs: [in]}}, execution: {{lane: {}, priority: {}}}}}\n",
        i,
        i % 3 == 0 ? "pool" : "main",
        i % 5 == 0 ? "high" : "normal");
  }
  text += "edges:\n";
  for (std::size_t i = 1; i < count; ++i) {
    text += base::format(
        "  - {{id: e{}, kind: immediate, from: c{}.out, to: c{}.in, policy: {{mode: queue, "
        "capacity: "
        "16}}}}\n",
        i,
        i - 1,
        i);
    text += base::format(
        "  - {{id: f{}, kind: immediate, from: c{}.out, to: c{}.in}}\n", i, random.below(i), i);
  }
  return text;
}

/// Gives the median time of a few runs in milliseconds.
base::Result<double> compile_ms(std::size_t count, std::size_t run_count) {
  const graph::ComponentRegistry registry = graph::builtin_registry();
  const std::string text = graph_text(count);
  std::vector<double> times;
  for (std::size_t i = 0; i < run_count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const graph::CompileResult result = graph::compile_text(
        text, graph::TextFormat::kYaml, registry, {.text_bytes_max = 4UL << 20});
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - begin;
    if (!result.graph || result.graph->regions.size() != count) {
      return base::fail(base::ErrorCode::kInternal, "The file does not compile");
    }
    times.push_back(spent.count());
  }
  return median(times);
}

}  // namespace

base::Status measure_compile(const BenchOptions& options, Figures& figures) {
  const std::size_t largest = options.smoke ? 64 : kLargest;
  for (std::size_t count = largest / 16; count <= largest; count *= 2) {
    MR_TRY(const double ms, compile_ms(count, options.smoke ? 1 : 15));
    figures.push_back(
        {base::format("compile {} components, {} edges", count, 2 * count - 2), ms, "ms"});
    if (count == kLargest) figures.back().at_most = kLargestMsMax;
    figures.push_back({"  per component", ms * 1000 / static_cast<double>(count), "us"});
  }
  return {};
}

}  // namespace millrace::bench
