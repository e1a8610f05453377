#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/body/message.h"
#include "graph/payload.h"

// What a component implements. `graph_context.h` is what its body is given.

namespace millrace::graph {

class GraphContext;
class Invocation;

/// What a component is told when it is configured.
/// Lifetime: borrows the graph; of use only during the call.
struct ComponentSetup {
  std::string_view id;
  const Payload& config;        ///< an object, or null
  const Payload& graph_config;  ///< that of the whole graph
  std::span<const std::string> outputs;
  std::span<const std::string> inputs;

  /// Index of an output or input for `publish` and `inputs`; nothing if no edge is there.
  [[nodiscard]] std::optional<std::uint32_t> find_output(std::string_view name) const;
  [[nodiscard]] std::optional<std::uint32_t> find_input(std::string_view name) const;
};

/// A component of a graph. Its life: configure, activate, restore (if there is a snapshot), reset,
/// any number of `execute`, snapshot, deactivate.
///
/// Threading: calls never overlap, except those of `execute` if the component is `reentrant` and on
/// a pool. They may come from different threads.
class Component {
 public:
  virtual ~Component() = default;

  /// Reads the configuration. Must not have effects outside the component.
  [[nodiscard]] virtual base::Status configure(const ComponentSetup& setup);
  /// Acquires what it needs outside; `deactivate` gives it back.
  [[nodiscard]] virtual base::Status activate();
  /// Takes back what `snapshot` gave in an earlier run.
  [[nodiscard]] virtual base::Status restore(const Payload& snapshot);
  /// Called once before the first epoch.
  [[nodiscard]] virtual base::Status reset();
  /// One invocation. What it publishes becomes visible only if it succeeds.
  [[nodiscard]] virtual base::Status execute(const Invocation& invocation,
                                             GraphContext& context) = 0;
  /// Gives its state at the end of a run, or nothing.
  [[nodiscard]] virtual base::Result<std::optional<Payload>> snapshot();
  [[nodiscard]] virtual base::Status deactivate();

  /// Says whether it could work with another configuration. Must change nothing.
  [[nodiscard]] virtual base::Status check_update(const Payload& config) const;
  /// Takes over a configuration that `check_update` accepted, between two epochs.
  [[nodiscard]] virtual base::Status apply_update(const Payload& config);
};

using ComponentFactory = std::function<std::unique_ptr<Component>()>;

}  // namespace millrace::graph
