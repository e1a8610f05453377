#include "stores/redis/redis_endpoint.h"

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/result.h"
#include "plan/registry/registry.h"
#include "stores/connect_options.h"
#include "stores/redis/redis_settings.h"

namespace millrace::stores {

base::Result<RedisSettings> redis_settings_of(const plan::EndpointInfo& endpoint,
                                              const std::string& root) {
  const plan::EndpointPolicy& policy = endpoint.policy;
  RedisSettings settings{.cluster = endpoint.cluster,
                         .single_flight = policy.single_flight,
                         .hedge_after = policy.hedge_after,
                         .cache_ttl = policy.cache_ttl,
                         .cache_bytes_max = policy.cache_bytes};
  settings.pool = {.address = address_of(endpoint),
                   .connect = connect_options_of(endpoint, root),
                   .greeting = {.username = endpoint.username,
                                .database = endpoint.database,
                                .protocol = policy.protocol},
                   .connections = policy.connections,
                   .commands_max = policy.max_inflight,
                   .request_timeout = policy.request_timeout};
  settings.pool.breaker.consecutive_failures_max = policy.breaker_failures;
  settings.pool.breaker.open_min = policy.breaker_open;
  settings.pool.breaker.open_max = policy.breaker_open;
  if (endpoint.password_env.empty()) return settings;
  const char* const password = std::getenv(endpoint.password_env.c_str());
  if (password == nullptr || *password == '\0') {
    return base::fail(
        base::ErrorCode::kInvalidArgument,
        "The environment variable with the password is not set: " + endpoint.password_env,
        endpoint.name);
  }
  settings.pool.greeting.password = password;
  return settings;
}

}  // namespace millrace::stores
