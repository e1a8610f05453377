#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/sync/spin_mutex.h"
#include "base/sync/thread_annotations.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/run/runtime.h"
#include "graph/run/state_store.h"
#include "tasks/pinned_state.h"

namespace millrace::bridge {

/// The state tables of the graph as they were when a request began.
class PinnedTables final : public tasks::PinnedState {
 public:
  PinnedTables(std::string_view graph,
               const std::vector<std::string>& names,
               std::shared_ptr<const graph::StateSnapshot> snapshot)
      : graph_(graph), names_(names), snapshot_(std::move(snapshot)) {}

  /// `{"graph":"NAME","tables":{"TABLE":EPOCH}}`; the epoch is that of the last change, 0 for a
  /// table that nothing was written to yet.
  void append_json(std::string& out) const override;
  /// Owners: this, and replies whose texts are in it.
  [[nodiscard]] const std::shared_ptr<const graph::StateSnapshot>& snapshot() const {
    return snapshot_;
  }

 private:
  const std::string_view graph_;
  const std::vector<std::string>& names_;
  const std::shared_ptr<const graph::StateSnapshot> snapshot_;
};

/// The tables that the components of a graph write to, by name.
[[nodiscard]] std::vector<std::string> written_tables(const graph::CompiledGraph& graph,
                                                      const graph::ComponentRegistry& types);

/// Where requests get the state tables of the one graph of the process.
/// Threading: `pin` from any thread; one thread attaches and detaches. Lifetime: outlives what was
/// pinned.
class GraphTables final : public tasks::PinSource {
 public:
  GraphTables(std::string graph, std::vector<std::string> names)
      : graph_(std::move(graph)), names_(std::move(names)) {}

  [[nodiscard]] const std::string& graph() const { return graph_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// From now on requests see the tables of a run.
  void attach(const graph::Runtime& runtime) MR_EXCLUDES(mutex_);
  /// From now on they see its last ones.
  void detach() MR_EXCLUDES(mutex_);
  [[nodiscard]] std::shared_ptr<const tasks::PinnedState> pin() const override MR_EXCLUDES(mutex_);

 private:
  const std::string graph_;
  const std::vector<std::string> names_;
  mutable base::SpinMutex mutex_;
  const graph::Runtime* runtime_ MR_GUARDED_BY(mutex_) = nullptr;
  std::shared_ptr<const graph::StateSnapshot> last_ MR_GUARDED_BY(mutex_) =
      std::make_shared<graph::StateSnapshot>();
};

}  // namespace millrace::bridge
