#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/log/log.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "bridge/engine_plan_runner.h"
#include "bridge/graph_tables.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/diagnostic.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime.h"
#include "host/engine.h"
#include "host/settings.h"
#include "loop/stop.h"
#include "server/graphs/graph_desk.h"

namespace millrace::bridge {

/// A graph that runs in wall time beside the plans of a process.
///
/// Its life: `load` reads and checks the file, so that endpoints can be checked against its tables;
/// then the engine starts; `start` runs the graph; `stop` comes after the last request and before
/// the engine goes. A graph that fails stays as it is, with its tables, until then.
/// Threading: one thread loads, starts, stops and destroys it; any thread may ask it.
class GraphHost final : public server::GraphDesk {
 public:
  [[nodiscard]] static std::expected<std::unique_ptr<GraphHost>, host::StartError> load(
      const std::string& path);
  ~GraphHost() override;
  GraphHost(const GraphHost&) = delete;
  GraphHost& operator=(const GraphHost&) = delete;

  /// What requests read; outlives the engine.
  [[nodiscard]] const GraphTables& tables() const { return tables_; }
  /// Starts all components and the threads of the graph. `log` may be null.
  [[nodiscard]] std::expected<void, host::StartError> start(host::Engine& engine,
                                                            base::Logger* log);
  /// Ends the run in order; later calls do nothing.
  void stop() override MR_EXCLUDES(mutex_);

  [[nodiscard]] std::string_view name() const override { return graph_.name; }
  [[nodiscard]] bool has_component(std::string_view id) const override {
    return graph_.find_component(id).has_value();
  }
  [[nodiscard]] std::optional<std::string> problem() const override MR_EXCLUDES(mutex_);
  [[nodiscard]] std::string summary() const override MR_EXCLUDES(run_mutex_);
  [[nodiscard]] std::string page() const override MR_EXCLUDES(run_mutex_);
  [[nodiscard]] std::string why(std::string_view component) const override MR_EXCLUDES(run_mutex_);

 private:
  enum class State : std::uint8_t { kLoaded, kRunning, kEnded, kFailed };

  GraphHost(std::shared_ptr<EnginePlanRunner> plans,
            graph::ComponentRegistry types,
            graph::CompileResult compiled);
  /// Waits for the end of the run, on a thread of its own.
  void watch() MR_EXCLUDES(mutex_, run_mutex_);
  void note_end(const graph::RuntimeRunnerResult& result) MR_EXCLUDES(mutex_);
  [[nodiscard]] std::string_view state_name() const MR_EXCLUDES(mutex_);

  // Constant once loaded.
  const std::shared_ptr<EnginePlanRunner> plans_;  // owners: this and the type `plan`
  const graph::ComponentRegistry types_;
  const graph::DiagnosticReport report_;
  const graph::CompiledGraph graph_;
  GraphTables tables_;
  base::Logger* log_ = nullptr;
  loop::StopSource stop_;
  std::thread thread_;

  /// Held while the run ends and while somebody asks it, which would otherwise disturb each other.
  mutable base::Mutex run_mutex_;
  std::unique_ptr<graph::Runtime> runtime_ MR_GUARDED_BY(run_mutex_);
  std::optional<graph::RuntimeRunnerResult> result_ MR_GUARDED_BY(run_mutex_);  // once it has ended

  mutable base::Mutex mutex_;  // for a few instructions
  State state_ MR_GUARDED_BY(mutex_) = State::kLoaded;
  std::string problem_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::bridge
