#pragma once

#include <string>

#include "base/result.h"
#include "plan/registry/registry.h"

namespace millrace::stores {

/// Asks an http endpoint for `/` as the engine would ask for a page. Gives the status of its
/// answer, whatever it is, or why there was none. Blocks the caller.
[[nodiscard]] base::Result<int> probe_http(const plan::EndpointInfo& endpoint,
                                           const std::string& root);

}  // namespace millrace::stores
