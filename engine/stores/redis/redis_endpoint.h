#pragma once

#include <string>

#include "base/result.h"
#include "plan/registry/registry.h"
#include "stores/redis/redis_settings.h"

namespace millrace::stores {

/// What the registry says of a redis endpoint, as settings of a client. The password comes from the
/// environment variable that the endpoint names; an error if that is not set. Files of TLS are
/// relative to `root`.
[[nodiscard]] base::Result<RedisSettings> redis_settings_of(const plan::EndpointInfo& endpoint,
                                                            const std::string& root);

}  // namespace millrace::stores
