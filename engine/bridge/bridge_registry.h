#pragma once

#include <memory>

#include "bridge/plan_component.h"
#include "graph/compile/component_registry.h"

namespace millrace::bridge {

/// Gives a registry with the built-in types of graphs and those of this module. Without `plans`,
/// graphs with the type `plan` cannot be run.
[[nodiscard]] graph::ComponentRegistry bridge_registry(std::shared_ptr<PlanRunner> plans = nullptr);

}  // namespace millrace::bridge
