#pragma once

#include <string_view>

#include "graph/body/component.h"

namespace millrace::graph {

/// Gives what makes components of a built-in type that stands inside a graph; empty
/// for any other type.
[[nodiscard]] ComponentFactory step_factory(std::string_view type);

}  // namespace millrace::graph
