#include "stores/redis/redis_endpoint.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/result.h"
#include "net/stream.h"
#include "plan/registry.h"
#include "stores/redis/redis_settings.h"

namespace millrace::stores {

namespace {

std::string below(const std::string& root, const std::string& file) {
  return file.empty() ? file : (std::filesystem::path(root) / file).string();
}

net::ConnectOptions connect_options(const plan::EndpointInfo& endpoint, const std::string& root) {
  net::ConnectOptions options{.connect_timeout = endpoint.policy.connect_timeout};
  if (!endpoint.tls) return options;
  options.tls = net::TlsOptions{.ca_file = below(root, endpoint.tls->ca_file),
                                .certificate_file = below(root, endpoint.tls->certificate_file),
                                .key_file = below(root, endpoint.tls->key_file),
                                .server_name = endpoint.tls->server_name,
                                .verify = endpoint.tls->verify};
  return options;
}

}  // namespace

base::Result<RedisSettings> redis_settings_of(const plan::EndpointInfo& endpoint,
                                              const std::string& root) {
  const plan::EndpointPolicy& policy = endpoint.policy;
  RedisSettings settings{.cluster = endpoint.cluster,
                         .single_flight = policy.single_flight,
                         .hedge_after = policy.hedge_after,
                         .cache_ttl = policy.cache_ttl,
                         .cache_bytes_max = policy.cache_bytes};
  settings.pool = {
      .address = {.host = endpoint.host, .port = endpoint.port, .unix_path = endpoint.unix_path},
      .connect = connect_options(endpoint, root),
      .greeting = {.username = endpoint.username,
                   .database = endpoint.database,
                   .protocol = policy.protocol},
      .breaker = {.failures = policy.breaker_failures, .open_time = policy.breaker_open},
      .connections = policy.connections,
      .commands_max = policy.max_inflight,
      .request_timeout = policy.request_timeout};
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
