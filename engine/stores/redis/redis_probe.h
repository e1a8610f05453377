#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "plan/registry/registry.h"

namespace millrace::stores {

/// Connects to a redis endpoint as the engine would and reads a key that is not there. Gives how
/// long that took, or why it did not work. Blocks the caller.
[[nodiscard]] base::Result<base::Duration> probe_redis(const plan::EndpointInfo& endpoint,
                                                       const std::string& root);

}  // namespace millrace::stores
