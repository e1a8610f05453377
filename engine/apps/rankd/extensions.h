#pragma once

#include "bridge/graph_host.h"
#include "host/extensions.h"

namespace millrace::rankd {

/// The tasks and kinds of endpoints of `rankd`. `graph` is the graph of the process; it outlives
/// what is made with them. Null: there is none.
[[nodiscard]] host::Extensions rankd_extensions(const bridge::GraphHost* graph = nullptr);

}  // namespace millrace::rankd
