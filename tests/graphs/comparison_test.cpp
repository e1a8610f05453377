#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/format.h"
#include "engine_run.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "outcome_text.h"
#include "random_graph.h"
#include "reference_run.h"
#include "shrink.h"

namespace millrace::graph_reference {
namespace {

const graph::ComponentRegistry& registry() {
  static const graph::ComponentRegistry types = graph::builtin_registry();
  return types;
}

/// Runs a graph in both ways. Nothing: the file is not valid. Empty: they agree.
std::optional<std::string> compare(const GraphModel& model) {
  const std::string yaml = model.yaml();
  const graph::CompileResult compiled =
      graph::compile_text(yaml, graph::TextFormat::kYaml, registry());
  if (!compiled.graph) return std::nullopt;
  const graph::GraphFile file(yaml, graph::TextFormat::kYaml, {});
  Outcome expected = run_reference(file.spec(), model.options);
  std::string difference =
      describe_difference(expected, run_engine(*compiled.graph, registry(), model.options));
  if (!difference.empty()) return difference;
  // A run that nobody watches takes shorter ways.
  expected.epoch_spans.clear();
  expected.executions.clear();
  return describe_difference(expected,
                             run_engine(*compiled.graph, registry(), model.options, false));
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// The first line without what is in quotes, so that shrinking does not wander to another problem.
std::string kind_of(const std::string& difference) {
  return difference.substr(0, difference.find_first_of(":{"));
}

void report(std::uint64_t seed, const GraphModel& model, const std::string& difference) {
  const std::string kind = kind_of(difference);
  const GraphModel small = shrink(model, [&](const GraphModel& smaller) {
    const std::optional<std::string> now = compare(smaller);
    return now && !now->empty() && kind_of(*now) == kind;
  });
  ADD_FAILURE() << "MILLRACE_GRAPH_FIRST_SEED=" << seed << " MILLRACE_GRAPH_SEEDS=1\n"
                << *compare(small) << "\n# " << options_text(small.options) << "\n"
                << small.yaml();
}

// Set MILLRACE_GRAPH_SEEDS to try more graphs than usual.
TEST(GraphComparison, RandomGraphsGiveWhatTheContractSays) {
  const std::uint64_t first = setting("MILLRACE_GRAPH_FIRST_SEED", 1);
  const std::uint64_t count = setting("MILLRACE_GRAPH_SEEDS", 500);
  const std::uint64_t failures_max = setting("MILLRACE_GRAPH_FAILURES", 3);
  std::uint64_t compared = 0;
  std::uint64_t failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < failures_max; ++seed) {
    const GraphModel model = make_random_graph(seed);
    const std::optional<std::string> difference = compare(model);
    if (!difference) continue;
    ++compared;
    if (difference->empty()) continue;
    ++failures;
    report(seed, model, *difference);
  }
  if (failures == 0 && count >= 100) {
    EXPECT_GE(compared, count * 8 / 10);
  }
}

}  // namespace
}  // namespace millrace::graph_reference
