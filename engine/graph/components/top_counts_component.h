#pragma once

#include "graph/body/component.h"

namespace millrace::graph {

/// Makes `core.top_counts`.
[[nodiscard]] ComponentFactory top_counts_factory();

}  // namespace millrace::graph
