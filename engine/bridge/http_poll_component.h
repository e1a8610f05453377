#pragma once

#include "base/result.h"
#include "bridge/http_link.h"
#include "graph/compile/component_registry.h"

namespace millrace::bridge {

/// Adds `http.poll`, which gets pages over links of the factory.
[[nodiscard]] base::Status register_http_poll_component(graph::ComponentRegistry& registry,
                                                        HttpLinkFactory links = make_http_link);

}  // namespace millrace::bridge
