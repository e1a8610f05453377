#include "apps/topoexec/live_run.h"

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/topoexec/flags.h"
#include "apps/topoexec/graph_input.h"
#include "apps/topoexec/run_session.h"
#include "base/format.h"
#include "base/metrics/metrics_registry.h"
#include "base/result.h"
#include "bridge/admin/graph_admin.h"
#include "bridge/admin/graph_admin_server.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/domains.h"
#include "graph/format/graph_file.h"
#include "graph/report/count_text.h"
#include "graph/report/plan_diff.h"
#include "graph/run/config_updates.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime.h"
#include "graph/run/runtime_runner.h"
#include "net/address.h"

namespace millrace::topoexec {
namespace {

/// Enough for every component and edge of the largest graph.
constexpr std::size_t kSeriesMax = 400'000;

/// Gives a running graph the config values of its file again.
/// Threading: the thread for SIGHUP.
class ConfigFile {
 public:
  ConfigFile(const GraphInput& input, graph::Runtime& runtime)
      : input_(input), runtime_(runtime), last_(input.graph) {}

  /// Says on standard error what came of it.
  void read_again() {
    const auto changed = update();
    const std::string text =
        changed ? base::format("topoexec: {}: read again, new config values for {}\n",
                               input_.flags.file,
                               graph::count_text(*changed, "component"))
                : base::format("topoexec: {}: the graph goes on as it was: {}\n",
                               input_.flags.file,
                               changed.error().to_string());
    std::fputs(text.c_str(), stderr);
  }

 private:
  base::Result<std::size_t> update() {
    const std::string& path = input_.flags.file;
    MR_TRY(const std::string text, graph::read_text_file(path, input_.flags.limits.text_bytes_max));
    graph::CompileResult newer =
        graph::compile_text(text, graph::format_of(path), input_.types, input_.flags.limits);
    if (!newer.graph) {
      return base::fail(base::ErrorCode::kInvalidArgument, newer.report.to_text(path));
    }
    MR_TRY(const std::vector<graph::ConfigUpdate> changes,
           find_config_changes(last_, *newer.graph));
    if (!changes.empty()) MR_TRY_STATUS(runtime_.update_config(changes));
    last_ = *std::move(newer.graph);
    return changes.size();
  }

  const GraphInput& input_;
  graph::Runtime& runtime_;
  graph::CompiledGraph last_;  // as the file was when it was last read with success
};

}  // namespace

base::Result<std::vector<graph::ConfigUpdate>> find_config_changes(
    const graph::CompiledGraph& running, const graph::CompiledGraph& newer) {
  const graph::DiagnosticReport none;
  const graph::PlanDiff diff =
      graph::compare_plans({.graph = running, .report = none}, {.graph = newer, .report = none});
  bool is_same = diff.regions.empty() && diff.edges.empty() && diff.lanes.empty() &&
                 running.components.size() == newer.components.size();
  std::vector<graph::ConfigUpdate> changes;
  for (std::size_t i = 0; is_same && i < running.components.size(); ++i) {
    const graph::CompiledComponent& before = running.components[i];
    const graph::CompiledComponent& after = newer.components[i];
    is_same = before.id == after.id && before.type == after.type;
    if (before.config == after.config) continue;
    changes.push_back({.component = after.id, .config = after.config});
  }
  if (is_same) return changes;
  return base::fail(base::ErrorCode::kInvalidArgument,
                    "Only config values can change while a graph runs; start it again for changes "
                    "of components, edges and lanes");
}

base::Result<graph::RuntimeRunnerResult> run_live(const GraphInput& input,
                                                  RunSession& session,
                                                  graph::RuntimeRunnerOptions options) {
  const Flags& flags = input.flags;
  const bool is_stepped = !input.graph.domains.empty() && options.steps &&
                          input.graph.domains.front().pace == graph::PaceType::kManual;
  if (is_stepped) {
    if (flags.admin.empty()) return graph::RuntimeRunner::run(input.graph, input.types, options);
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "The steps of a manual lane are over at once; leave out --admin or --steps",
                      flags.admin);
  }
  base::MetricsRegistry metrics({.series_max = kSeriesMax});
  if (!flags.admin.empty()) options.metrics = &metrics;
  options.is_hosted = false;
  graph::Runtime runtime(input.graph, input.types, std::move(options));
  if (!runtime.start()) return runtime.result();
  const bridge::GraphAdmin admin(
      {.runtime = runtime, .graph = input.graph, .metrics = metrics, .stop = [&session] {
         session.stop();
       }});
  std::unique_ptr<bridge::GraphAdminServer> server;
  if (!flags.admin.empty()) {
    MR_TRY(server,
           bridge::GraphAdminServer::start(
               admin, {.address = flags.admin, .is_anywhere_allowed = flags.admin_anywhere}));
    std::fprintf(stderr, "topoexec: can be asked at %s\n", to_string(server->address()).c_str());
  }
  ConfigFile file(input, runtime);
  session.set_on_hangup([&file] { file.read_again(); });
  runtime.wait();
  // Nobody may ask any more when the run is taken down.
  session.set_on_hangup({});
  server.reset();
  runtime.run();
  return runtime.result();
}

}  // namespace millrace::topoexec
