#pragma once

#include "base/result.h"
#include "bridge/redis_link.h"
#include "graph/compile/component_registry.h"

namespace millrace::bridge {

/// Adds `redis.stream_in` and `redis.stream_out`, which talk to servers over links of the factory.
[[nodiscard]] base::Status register_redis_stream_components(
    graph::ComponentRegistry& registry, RedisLinkFactory links = make_redis_link);

}  // namespace millrace::bridge
