#pragma once

#include "graph/compile/component_registry.h"

namespace millrace::bridge {

/// Gives a registry with the built-in types of graphs and those of this module.
[[nodiscard]] graph::ComponentRegistry bridge_registry();

}  // namespace millrace::bridge
