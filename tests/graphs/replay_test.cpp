#include "graph/record/replay.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "engine_run.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/record/record_file.h"
#include "graph/record/recorder.h"
#include "graph/report/trace_report.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"
#include "random_graph.h"

namespace millrace::graph_reference {
namespace {

/// Records a run, replays the file, and compares what both did. False: the file is not valid.
bool record_and_replay(std::uint64_t seed, const std::string& path) {
  static const graph::ComponentRegistry registry = graph::builtin_registry();
  const GraphModel model = make_random_graph(seed);
  const std::string yaml = model.yaml();
  const graph::CompileResult compiled =
      graph::compile_text(yaml, graph::TextFormat::kYaml, registry);
  if (!compiled.graph) return false;
  graph::RuntimeRunnerOptions options = engine_options(model.options);
  graph::Recorder recorder;
  EXPECT_TRUE(recorder.open(path, {.name = "random.yaml", .text = yaml}, options));
  options.journal = &recorder;
  const graph::RuntimeRunnerResult run =
      graph::RuntimeRunner::run(*compiled.graph, registry, options);
  EXPECT_TRUE(recorder.finish(run));

  std::ifstream stream(path);
  const auto file = graph::read_record(stream);
  if (!file) {
    ADD_FAILURE() << "seed " << seed << ": " << file.error().to_string();
    return true;
  }
  stream.clear();
  stream.seekg(0);
  const auto again = graph::replay(
      *file, stream, *compiled.graph, registry, {.trace = true, .keep_outputs = true});
  if (!again) {
    ADD_FAILURE() << "seed " << seed << ": " << again.error().to_string();
    return true;
  }
  EXPECT_TRUE(again->is_same()) << "seed " << seed << ", line " << again->first_divergence->line
                                << ", at " << again->first_divergence->place << ": recorded "
                                << again->first_divergence->recorded << ", now "
                                << again->first_divergence->now;
  EXPECT_EQ(graph::trace_text(*compiled.graph, again->run), graph::trace_text(*compiled.graph, run))
      << "seed " << seed;
  return true;
}

// MILLRACE_GRAPH_SEEDS tries more graphs than usual, as for the comparison.
TEST(GraphReplay, G55_RecordsOfRandomGraphsReplayTheSame) {
  const char* count_text = std::getenv("MILLRACE_GRAPH_SEEDS");
  const std::uint64_t count = count_text == nullptr ? 100 : std::strtoull(count_text, nullptr, 10);
  const std::string path =
      testing::TempDir() + "graph_replay_test." + std::to_string(getpid()) + ".record";
  std::uint64_t valid = 0;
  for (std::uint64_t seed = 1; seed <= count && !HasFailure(); ++seed) {
    valid += record_and_replay(seed, path) ? 1 : 0;
  }
  std::filesystem::remove(path);
  if (count >= 100 && !HasFailure()) {
    EXPECT_GE(valid, count * 8 / 10);
  }
}

}  // namespace
}  // namespace millrace::graph_reference
