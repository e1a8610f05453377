#include "bridge/graph_host.h"

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/log/log.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "bridge/bridge_registry.h"
#include "bridge/graph_pages.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/graph_file.h"
#include "graph/format/limits.h"
#include "graph/report/run_report.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime.h"
#include "host/engine.h"

namespace millrace::bridge {
namespace {

std::string describe(const graph::RunError& error) {
  const std::string_view place = !error.component.empty() ? "component" : "lane";
  const std::string& name = !error.component.empty() ? error.component : error.lane;
  if (name.empty()) return base::format("{}: {}", error.code, error.message);
  return base::format("{} '{}' failed: {}", place, name, error.message);
}

/// Standard input and output belong to requests and answers.
std::optional<std::string> find_stream_user(const graph::CompiledGraph& graph) {
  for (const graph::CompiledComponent& component : graph.components) {
    if (component.type != "core.stdin" && component.type != "core.stdout") continue;
    return base::format(
        "Component '{}' is a {}, and rankd uses these streams for requests and answers; "
        "use core.table, core.output or redis.stream_out",
        component.id,
        component.type);
  }
  return std::nullopt;
}

}  // namespace

GraphHost::GraphHost(std::shared_ptr<EnginePlanRunner> plans,
                     graph::ComponentRegistry types,
                     graph::CompileResult compiled)
    : plans_(std::move(plans)),
      types_(std::move(types)),
      report_(std::move(compiled.report)),
      graph_(*std::move(compiled.graph)),
      tables_(graph_.name, written_tables(graph_, types_)) {}

GraphHost::~GraphHost() { stop(); }

std::expected<std::unique_ptr<GraphHost>, host::StartError> GraphHost::load(
    const std::string& path) {
  const graph::GraphLimits limits;
  const auto text = graph::read_text_file(path, limits.text_bytes_max);
  if (!text) {
    return std::unexpected(
        host::StartError{base::format("Graph {}: {}", path, text.error().message())});
  }
  auto plans = std::make_shared<EnginePlanRunner>();
  graph::ComponentRegistry types = bridge_registry(plans);
  graph::CompileResult compiled = graph::compile_text(*text, graph::format_of(path), types, limits);
  if (!compiled.graph) return std::unexpected(host::StartError{compiled.report.to_text(path)});
  if (const auto user = find_stream_user(*compiled.graph))
    return std::unexpected(host::StartError{base::format("Graph {}: {}", path, *user)});
  return std::unique_ptr<GraphHost>(
      new GraphHost(std::move(plans), std::move(types), std::move(compiled)));
}

std::expected<void, host::StartError> GraphHost::start(host::Engine& engine, base::Logger* log) {
  log_ = log;
  plans_->attach(engine);
  const base::MutexLock lock(run_mutex_);
  runtime_ = std::make_unique<graph::Runtime>(
      graph_,
      types_,
      graph::RuntimeRunnerOptions{.stop_token = stop_.token(), .metrics = &engine.metrics()});
  if (const base::Status started = runtime_->start(); !started) {
    result_ = runtime_->result();
    runtime_.reset();
    plans_->detach();
    const std::string problem =
        result_->errors.empty() ? started.error().to_string() : describe(result_->errors.front());
    return std::unexpected(
        host::StartError{base::format("The graph '{}' does not start: {}", graph_.name, problem)});
  }
  tables_.attach(*runtime_);
  {
    const base::MutexLock state_lock(mutex_);
    state_ = State::kRunning;
  }
  thread_ = std::thread([this, &runtime = *runtime_] {
    runtime.wait();
    watch();
  });
  if (log_ != nullptr) {
    log_->info("graph_start",
               "The graph runs",
               {{"graph", graph_.name}, {"components", graph_.components.size()}});
  }
  return {};
}

void GraphHost::watch() {
  const base::MutexLock lock(run_mutex_);
  runtime_->stop();
  result_ = runtime_->result();
  note_end(*result_);
}

void GraphHost::note_end(const graph::RuntimeRunnerResult& result) {
  const std::string problem = result.errors.empty() ? "" : describe(result.errors.front());
  {
    const base::MutexLock lock(mutex_);
    state_ = result.ok ? State::kEnded : State::kFailed;
    problem_ = problem;
  }
  if (log_ == nullptr) return;
  if (result.ok) {
    log_->info("graph_end",
               "The graph has ended",
               {{"graph", graph_.name}, {"reason", to_string(result.scheduler_stop_reason)}});
  } else {
    log_->error("graph_failed",
                "The graph has failed; requests see its last tables",
                {{"graph", graph_.name}, {"err", problem}});
  }
}

void GraphHost::stop() {
  if (!thread_.joinable()) return;
  stop_.request_stop();
  thread_.join();
  tables_.detach();
  const base::MutexLock lock(run_mutex_);
  runtime_.reset();
  plans_->detach();
}

std::optional<std::string> GraphHost::problem() const {
  const base::MutexLock lock(mutex_);
  if (state_ != State::kFailed) return std::nullopt;
  return problem_;
}

std::string_view GraphHost::state_name() const {
  const base::MutexLock lock(mutex_);
  switch (state_) {
    case State::kLoaded:
      return "loaded";
    case State::kRunning:
      return "running";
    case State::kEnded:
      return "ended";
    case State::kFailed:
      break;
  }
  return "failed";
}

std::string GraphHost::summary() const {
  const base::MutexLock lock(run_mutex_);
  const GraphFacts facts{.state = state_name(), .problem = problem()};
  return graph_summary(graph_, facts, overview_of(runtime_.get(), result_));
}

std::string GraphHost::page() const {
  const base::MutexLock lock(run_mutex_);
  const GraphFacts facts{.state = state_name(), .problem = problem()};
  return graph_page(
      graph_,
      report_,
      facts,
      overview_of(runtime_.get(), result_),
      PageTables{.metrics = metrics_of(runtime_.get(), result_), .pinned = tables_.pin()});
}

std::string GraphHost::why(std::string_view component) const {
  const base::MutexLock lock(run_mutex_);
  std::string out;
  base::JsonWriter json(out);
  if (runtime_ == nullptr) {
    json.begin_object();
    json.member("component", component);
    json.member("ran", false);
    json.member("reason", base::format("The graph is {}", state_name()));
    json.end_object();
    return out;
  }
  const auto report = runtime_->why(component);
  // The caller has checked the name.
  if (report) graph::write_why_json(*report, json);
  return out;
}

}  // namespace millrace::bridge
