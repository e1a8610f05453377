#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/body/component.h"
#include "graph/compile/component_registry.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"

namespace millrace::graph {

/// Makes, starts, replaces and ends the components of a run.
/// Lifetime: borrows.
class Lifecycle {
 public:
  Lifecycle(RunTables& tables, const ComponentRegistry& registry)
      : tables_(tables), registry_(registry) {}

  /// Configures all, then activates all, then restores and resets all, in order of start. False if
  /// one failed: the error is in the tables, and those that were activated are deactivated.
  [[nodiscard]] bool start(std::span<const ComponentSnapshot> snapshots);
  /// Asks all components for their state.
  [[nodiscard]] bool snapshot(std::vector<ComponentSnapshot>& snapshots);
  /// Deactivates in reverse order of start what was activated.
  void deactivate();
  /// Puts a new instance in place of one that failed. False if that fails; the error is in the
  /// tables.
  [[nodiscard]] bool replace(std::uint32_t component);
  [[nodiscard]] const ComponentRegistry& registry() const { return registry_; }

 private:
  [[nodiscard]] bool note(std::string_view phase,
                          std::uint32_t component,
                          const base::Status& status);
  [[nodiscard]] bool configure(std::uint32_t component);
  [[nodiscard]] bool activate(std::uint32_t component);
  [[nodiscard]] bool restore(std::uint32_t component, const Payload& state);
  [[nodiscard]] bool end(std::uint32_t component);

  RunTables& tables_;
  const ComponentRegistry& registry_;
  std::vector<std::uint32_t> active_;  // in order of start
};

}  // namespace millrace::graph
