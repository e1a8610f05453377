#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/check.h"
#include "base/format.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/record/record_file.h"
#include "graph/record/recorder.h"
#include "graph/record/replay.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"
#include "graph/watch/graph_event.h"
#include "random_graph.h"

// Random graphs on threads give what they give in virtual time. That holds where neither time nor
// an overflow of a lane decides what runs, so those rules are taken out of the graphs first.

namespace millrace::graph_reference {
namespace {

using graph::GraphEvent;
using graph::GraphEventName;

bool contains(std::string_view field, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words,
                             [field](std::string_view word) { return field.starts_with(word); });
}

/// Whether a field makes time decide, or is about one lane's overflow.
bool is_about_time(const std::string& field) {
  return contains(field,
                  {"min_interval",
                   "max_latency",
                   "max_silence",
                   "batch_window",
                   "lifespan",
                   "deadline",
                   "budget",
                   "queue_capacity",
                   "overflow: fail_fast",
                   "tick_budget"});
}

/// All components move to the first domain, whose time is simulated or stands still.
void move_to_one_domain(GraphModel& model, std::uint64_t thread_count) {
  std::erase_if(model.lanes, [](const LaneModel& lane) { return lane.id.starts_with("own"); });
  for (LaneModel& lane : model.lanes) {
    std::erase_if(lane.fields, [](const std::string& field) {
      return is_about_time(field) ||
             contains(field, {"wall_clock", "overrun", "phase", "max_threads", "overflow"});
    });
    if (lane.fields.front() == "type: thread_pool") {
      lane.fields.push_back(base::format("max_threads: {}", thread_count));
    }
  }
  for (ComponentModel& component : model.components) {
    const bool is_known = std::ranges::any_of(
        model.lanes, [&](const LaneModel& lane) { return lane.id == component.lane; });
    if (!is_known) component.lane = model.lanes.front().id;
  }
}

/// Takes out what depends on time. False: nothing sensible would be left.
bool take_time_out(GraphModel& model) {
  // What the host injects comes at a time.
  if (!model.options.injections.empty()) return false;
  model.options.duration.reset();
  for (ComponentModel& component : model.components) {
    // A task would end at a time of its own; this passes the same values on.
    if (component.type == "core.task") component.type = "core.spend";
    for (std::string& field : component.execution) {
      if (field.starts_with("on_error: {restart")) field = "on_error: continue";
    }
    const bool waits =
        !component.trigger.empty() &&
        contains(component.trigger.front(), {"type: debounce", "type: rate_limit", "type: batch"});
    if (waits) component.trigger = {"type: any_input"};
    std::erase_if(component.trigger, is_about_time);
    std::erase_if(component.execution, is_about_time);
    component.sources.clear();  // timers become components that run in every epoch
    if (component.type == "core.spend") component.config = {"cost: 0ms"};
    // Which call of a reentrant component is its third depends on the threads.
    if (component.type == "core.fail" || component.type == "core.relax") {
      std::erase(component.execution, "reentrant: true");
    }
  }
  for (EdgeModel& edge : model.edges) std::erase_if(edge.policy, is_about_time);
  for (LoopModel& loop : model.loops) std::erase_if(loop.policy, is_about_time);
  return true;
}

/// What a run did, without times and workers: one text per thing, in an order that does not depend
/// on threads.
std::vector<std::string> normalise(const graph::CompiledGraph& graph,
                                   const graph::RuntimeRunnerResult& result) {
  std::vector<std::string> all;
  all.push_back(base::format("reason {}", to_string(result.scheduler_stop_reason)));
  for (const graph::RunError& error : result.errors) {
    all.push_back(base::format("error {} {}", error.code, error.component));
  }
  for (const graph::DomainEpochs& domain : result.epochs) {
    all.push_back(base::format("epochs {} {}", domain.domain, domain.epochs));
  }
  for (const graph::OutputRecord& output : result.outputs) {
    all.push_back(base::format("line {} {} {} {} {}",
                               graph.components[output.component].id,
                               output.epoch,
                               output.value.to_json(),
                               output.correlation,
                               output.causation));
  }
  std::vector<std::string> events;
  for (const GraphEvent& event : result.events) {
    const bool is_batch = event.name == GraphEventName::kThreadPoolBatch;
    events.push_back(base::format("event {:6} {} {} {} {} {} {} {}",
                                  event.epoch,
                                  to_string(event.name),
                                  event.lane,
                                  event.component,
                                  event.channel,
                                  event.loop,
                                  event.first,
                                  is_batch ? 0 : event.second));
  }
  std::ranges::sort(events);
  all.insert(all.end(), events.begin(), events.end());
  for (const graph::RuntimeMetric& metric : result.runtime_metrics) {
    const bool is_time = metric.name.ends_with("_ms") || metric.name.ends_with("_ns");
    if (is_time) continue;
    all.push_back(base::format("metric {} {}{}{} {}",
                               metric.name,
                               metric.lane,
                               metric.component_id,
                               metric.channel_id,
                               metric.value));
  }
  for (const graph::StateTableView& table : result.state) {
    for (const graph::StateEntry& entry : table.values) {
      all.push_back(base::format("state {} {} {}", table.name, entry.key, entry.value.to_json()));
    }
  }
  for (const graph::LoopStop& stop : result.loop_stop_reason) {
    all.push_back(base::format("loop {} {}", stop.loop, stop.reason));
  }
  return all;
}

std::vector<std::string> run(const graph::CompiledGraph& graph,
                             const RunOptions& options,
                             bool virtual_time) {
  static const graph::ComponentRegistry types = graph::builtin_registry();
  graph::RuntimeRunnerOptions all;
  all.steps = static_cast<std::uint64_t>(*options.steps);
  all.until_idle = options.until_idle;
  all.virtual_time = virtual_time;
  all.keep_outputs = true;
  all.trace = true;
  return normalise(graph, graph::RuntimeRunner::run(graph, types, all));
}

/// Gives whether the graph is one that threads must not change; compares if so.
bool compare(std::uint64_t seed, std::uint64_t thread_count) {
  GraphModel model = make_random_graph(seed);
  if (!take_time_out(model)) return false;
  move_to_one_domain(model, thread_count);
  const graph::ComponentRegistry types = graph::builtin_registry();
  const auto compiled = graph::compile_text(model.yaml(), graph::TextFormat::kYaml, types);
  if (!compiled.graph) return false;
  const auto expected = run(*compiled.graph, model.options, true);
  const auto actual = run(*compiled.graph, model.options, false);
  if (expected == actual) return true;
  std::string first = "(only the number of lines differs)";
  for (std::size_t i = 0; i < std::min(expected.size(), actual.size()); ++i) {
    if (expected[i] == actual[i]) continue;
    first = base::format("virtual time '{}'\nthreads      '{}'", expected[i], actual[i]);
    break;
  }
  ADD_FAILURE() << "seed " << seed << ", " << thread_count << " threads: " << first << "\n"
                << model.yaml();
  return true;
}

/// Gives whether the graph is valid; records a run of it with all its domains, and replays that.
bool record_and_replay(std::uint64_t seed, const std::string& path) {
  GraphModel model = make_random_graph(seed);
  if (!take_time_out(model)) return false;
  const std::string yaml = model.yaml();
  const graph::ComponentRegistry types = graph::builtin_registry();
  const auto compiled = graph::compile_text(yaml, graph::TextFormat::kYaml, types);
  if (!compiled.graph) return false;
  graph::RuntimeRunnerOptions options;
  options.steps = static_cast<std::uint64_t>(*model.options.steps);
  options.until_idle = model.options.until_idle;
  // Where the first domain has nothing to do, others may go on for ever.
  options.duration = std::chrono::milliseconds(100);
  options.keep_outputs = true;
  graph::Recorder recorder;
  EXPECT_TRUE(recorder.open(path, {.name = "random.yaml", .text = yaml}, options));
  options.journal = &recorder;
  const auto run = graph::RuntimeRunner::run(*compiled.graph, types, options);
  EXPECT_TRUE(recorder.finish(run));
  std::ifstream stream(path);
  const auto file = graph::read_record(stream);
  EXPECT_TRUE(file) << "seed " << seed;
  stream.clear();
  stream.seekg(0);
  const auto again =
      graph::replay(*file, stream, *compiled.graph, types, {.trace = false, .keep_outputs = true});
  if (!again || !again->is_same()) {
    ADD_FAILURE() << "seed " << seed << ": "
                  << (again ? again->first_divergence->place + ", recorded " +
                                  again->first_divergence->recorded + ", now " +
                                  again->first_divergence->now + ", line " +
                                  std::to_string(again->first_divergence->line)
                            : again.error().to_string())
                  << "\n"
                  << yaml;
    return true;
  }
  EXPECT_EQ(again->run.outputs.size(), run.outputs.size()) << "seed " << seed;
  return true;
}

std::uint64_t count_of_seeds() {
  const char* text = std::getenv("MILLRACE_THREAD_SEEDS");
  return text == nullptr ? 60 : std::strtoull(text, nullptr, 10);
}

// Set MILLRACE_THREAD_SEEDS to try more graphs than usual.
TEST(GraphThreads, G37_RandomGraphsGiveTheSameOnOneTwoAndEightThreads) {
  const std::uint64_t count = count_of_seeds();
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; seed <= count && !HasFailure(); ++seed) {
    bool is_compared = false;
    for (const std::uint64_t threads : {1, 2, 8}) is_compared = compare(seed, threads);
    compared += is_compared ? 1 : 0;
  }
  if (!HasFailure()) {
    EXPECT_GE(compared * 5, count);
  }
}

TEST(GraphThreads, G55_RecordsOfRunsOnThreadsReplayTheSame) {
  const std::uint64_t count = count_of_seeds();
  const std::string path =
      testing::TempDir() + "graph_threads_test." + std::to_string(getpid()) + ".record";
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; seed <= count && !HasFailure(); ++seed) {
    compared += record_and_replay(seed, path) ? 1 : 0;
  }
  std::filesystem::remove(path);
  if (!HasFailure()) {
    EXPECT_GE(compared * 5, count);
  }
}

}  // namespace
}  // namespace millrace::graph_reference
