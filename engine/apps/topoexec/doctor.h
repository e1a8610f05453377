#pragma once

#include <string>

#include "graph/compile/component_registry.h"

namespace millrace::topoexec {

/// Tells what this program and this machine offer to graphs: component types, default limits,
/// processors, and the priorities that the system lets threads take.
[[nodiscard]] std::string doctor_report(const graph::ComponentRegistry& registry, bool as_json);

}  // namespace millrace::topoexec
