#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "graph/compile/component_registry.h"
#include "graph/payload.h"
#include "graph/run/run_tables.h"

namespace millrace::graph {

/// A new configuration for one component.
struct ConfigUpdate {
  std::string component;
  Payload config;
};

/// Checks all new configurations as those of a file, asks the components whether they could take
/// them, then applies all. If one
/// fails at that, those before it get their old configuration back, in reverse. Between two epochs
/// only. `components`: the index of each update's component.
[[nodiscard]] base::Status apply_config_updates(RunTables& tables,
                                                const ComponentRegistry& registry,
                                                std::span<const std::uint32_t> components,
                                                std::span<const ConfigUpdate> updates);

}  // namespace millrace::graph
