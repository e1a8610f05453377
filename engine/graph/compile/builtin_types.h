#pragma once

#include <vector>

#include "graph/compile/descriptor.h"

namespace millrace::graph {

/// The descriptors of the component types that every program has.
[[nodiscard]] std::vector<ComponentDescriptor> builtin_types();

}  // namespace millrace::graph
