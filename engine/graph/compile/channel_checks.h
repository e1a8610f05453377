#pragma once

#include "graph/compile/links.h"

namespace millrace::graph {

/// Checks the policies of edges: buffers, writers of state, readers, blocking.
void check_channels(const CheckContext& context, const Links& links);

}  // namespace millrace::graph
