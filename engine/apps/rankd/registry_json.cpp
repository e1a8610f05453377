#include "apps/rankd/registry_json.h"

#include <chrono>
#include <span>
#include <type_traits>
#include <variant>

#include "base/formats/json_writer.h"
#include "rows/column.h"

namespace millrace::rankd {
namespace {

using base::JsonWriter;

void write_fields(JsonWriter& json, std::span<const plan::FieldInfo> fields) {
  json.begin_array();
  for (const plan::FieldInfo& field : fields) {
    json.begin_object();
    json.member("name", field.name);
    json.member("type", rows::to_string(field.type));
    json.member("nullable", field.nullable);
    json.member("allow_write", field.allow_write);
    json.member("lifecycle", plan::to_string(field.lifecycle));
    std::visit(
        [&](const auto& value) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
            json.member("default", value);
        },
        field.fallback);
    if (!field.doc.empty()) json.member("doc", field.doc);
    if (!field.replaced_by.empty()) json.member("replaced_by", field.replaced_by);
    json.end_object();
  }
  json.end_array();
}

double to_ms(base::Duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

void write_redis_policy(JsonWriter& json, const plan::EndpointPolicy& policy) {
  json.member("single_flight", policy.single_flight);
  json.member("hedge_after_ms", to_ms(policy.hedge_after));
  json.member("cache_ttl_ms", to_ms(policy.cache_ttl));
  json.member("cache_bytes", policy.cache_bytes);
  json.member("protocol", policy.protocol);
}

void write_endpoints(JsonWriter& json, std::span<const plan::EndpointInfo> endpoints) {
  json.begin_array();
  for (const plan::EndpointInfo& endpoint : endpoints) {
    json.begin_object();
    json.member("name", endpoint.name);
    json.member("kind", plan::to_string(endpoint.kind));
    if (endpoint.kind == plan::EndpointKind::kEmbedded) {
      json.member("data_file", endpoint.data_file);
    } else if (endpoint.kind == plan::EndpointKind::kGraph) {
      json.key("tables");
      json.begin_array();
      for (const std::string& table : endpoint.tables) json.value(table);
      json.end_array();
    } else if (!endpoint.unix_path.empty()) {
      json.member("unix_path", endpoint.unix_path);
    } else {
      json.member("host", endpoint.host);
      json.member("port", endpoint.port);
    }
    if (endpoint.kind == plan::EndpointKind::kRedis) {
      json.member("database", endpoint.database);
      json.member("cluster", endpoint.cluster);
      if (!endpoint.username.empty()) json.member("username", endpoint.username);
      if (!endpoint.password_env.empty()) json.member("password_env", endpoint.password_env);
    }
    if (endpoint.kind == plan::EndpointKind::kGraph) {
      json.end_object();
      continue;
    }
    if (endpoint.kind != plan::EndpointKind::kEmbedded) {
      json.member("tls", endpoint.tls.has_value());
    }
    json.key("policy");
    json.begin_object();
    json.member("max_inflight", endpoint.policy.max_inflight);
    json.member("connections", endpoint.policy.connections);
    json.member("connect_timeout_ms", to_ms(endpoint.policy.connect_timeout));
    json.member("request_timeout_ms", to_ms(endpoint.policy.request_timeout));
    json.member("breaker_failures", endpoint.policy.breaker_failures);
    json.member("breaker_open_ms", to_ms(endpoint.policy.breaker_open));
    if (endpoint.kind == plan::EndpointKind::kRedis) write_redis_policy(json, endpoint.policy);
    json.end_object();
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string registry_json(const plan::Registry& registry) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.key("keys");
  write_fields(json, registry.keys());
  json.key("params");
  write_fields(json, registry.params());
  json.key("endpoints");
  write_endpoints(json, registry.endpoints());
  json.end_object();
  return out;
}

}  // namespace millrace::rankd
