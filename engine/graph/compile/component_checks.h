#pragma once

#include "graph/compile/links.h"

namespace millrace::graph {

/// Checks components against their types: ports, config, boundaries; and that a runnable graph has
/// an input and an output.
void check_components(const CheckContext& context, const Links& links);

}  // namespace millrace::graph
