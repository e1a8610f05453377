#pragma once

#include "base/result.h"
#include "graph/compile/component_registry.h"

namespace millrace::bridge {

/// Adds `core.map` and `core.filter`.
[[nodiscard]] base::Status register_expression_components(graph::ComponentRegistry& registry);

}  // namespace millrace::bridge
