// Reads endpoints.toml.

#include "plan/registry/endpoint_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "base/formats/object_reader.h"
#include "base/problems/message_text.h"
#include "plan/membership.h"
#include "plan/problem.h"
#include "plan/registry/registry.h"
#include "plan/registry/registry_file.h"

namespace millrace::plan {

using base::JsonValue;
using base::ObjectReader;

namespace {

void read_duration(ObjectReader& table, std::string_view name, base::Duration& out) {
  if (const std::optional<base::Duration> duration = table.find_duration(name)) out = *duration;
}

void read_count(ObjectReader& table,
                std::string_view name,
                std::int64_t maximum,
                std::uint32_t& out) {
  const auto count = table.find_int(name, {.minimum = 1, .maximum = maximum});
  if (count) out = static_cast<std::uint32_t>(*count);
}

constexpr std::int64_t kDatabaseMax = 1'000'000;

void refuse_redis_fields(ObjectReader& table, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (!table.has(name)) continue;
    table.add(
        ProblemCode::kUnknownField, name, base::format("Only a redis endpoint has a {}", name));
  }
}

/// Refuses what only servers have; `what` is the kind of an endpoint in the process.
void refuse_server_fields(ObjectReader& table,
                          std::string_view what,
                          std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (!table.has(name)) continue;
    table.add(ProblemCode::kUnknownField, name, base::format("{} endpoint has no {}", what, name));
  }
}

/// Reads the names of state tables, which stand before the first colon of keys.
std::vector<std::string> read_tables(ObjectReader& table) {
  std::vector<std::string> names;
  const std::optional<JsonValue> list = table.find_array("tables");
  if (!list) return names;
  bool is_empty = true;
  for (const JsonValue item : list->children()) {
    is_empty = false;
    const std::string_view name = item.find_string().value_or("");
    if (name.empty() || name.find(':') != std::string_view::npos) {
      table.add(ProblemCode::kBadValue, "tables", "The name of a table is a text without colons");
    } else if (contains(names, name)) {
      table.add(
          ProblemCode::kBadValue, "tables", "The table is named twice: " + base::shortened(name));
    } else {
      names.emplace_back(name);
    }
  }
  if (is_empty) table.add(ProblemCode::kBadValue, "tables", "Name at least one state table");
  return names;
}

/// Reads the fields of a policy that only a redis endpoint has.
void read_redis_policy(ObjectReader& table, EndpointPolicy& policy) {
  policy.single_flight = table.find_bool("single_flight").value_or(true);
  read_duration(table, "hedge_after", policy.hedge_after);
  read_duration(table, "cache_ttl", policy.cache_ttl);
  read_count(table, "cache_bytes", INT32_MAX, policy.cache_bytes);
  if (const auto protocol = table.find_int("protocol", {.minimum = 2, .maximum = 3})) {
    policy.protocol = static_cast<std::uint32_t>(*protocol);
  }
}

EndpointPolicy read_policy(ObjectReader& endpoint, EndpointKind kind) {
  EndpointPolicy policy;
  std::optional<ObjectReader> found = endpoint.find_object("policy");
  if (!found) return policy;
  ObjectReader& table = *found;
  table.allow_only({"max_inflight",
                    "connections",
                    "connect_timeout",
                    "request_timeout",
                    "breaker_failures",
                    "breaker_open",
                    "single_flight",
                    "hedge_after",
                    "cache_ttl",
                    "cache_bytes",
                    "protocol"});
  if (kind == EndpointKind::kRedis) {
    read_redis_policy(table, policy);
  } else {
    refuse_redis_fields(table,
                        {"single_flight", "hedge_after", "cache_ttl", "cache_bytes", "protocol"});
  }
  read_count(table, "breaker_failures", 1'000, policy.breaker_failures);
  read_duration(table, "breaker_open", policy.breaker_open);
  read_count(table, "max_inflight", 1'000'000, policy.max_inflight);
  read_count(table, "connections", 1'000, policy.connections);
  read_duration(table, "connect_timeout", policy.connect_timeout);
  read_duration(table, "request_timeout", policy.request_timeout);
  return policy;
}

std::optional<EndpointTls> read_tls(ObjectReader& endpoint) {
  std::optional<ObjectReader> found = endpoint.find_object("tls");
  if (!found) return std::nullopt;
  ObjectReader& table = *found;
  table.allow_only({"ca_file", "certificate_file", "key_file", "server_name", "verify"});
  EndpointTls tls{.ca_file = find_text(table, "ca_file"),
                  .certificate_file = find_text(table, "certificate_file"),
                  .key_file = find_text(table, "key_file"),
                  .server_name = find_text(table, "server_name"),
                  .verify = table.find_bool("verify").value_or(true)};
  if (tls.certificate_file.empty() != tls.key_file.empty()) {
    table.add(ProblemCode::kMissingField,
              "certificate_file",
              "certificate_file and key_file must be given together");
  }
  return tls;
}

/// Refuses fields that this kind of endpoint does not have, and requires those it must have.
void check_endpoint_fields(ObjectReader& table, EndpointKind kind) {
  const bool is_embedded = kind == EndpointKind::kEmbedded;
  const bool is_graph = kind == EndpointKind::kGraph;
  const bool is_server = !is_embedded && !is_graph;
  const bool is_unix = is_server && table.has("unix_path");
  if (kind != EndpointKind::kRedis) {
    refuse_redis_fields(table, {"username", "password_env", "database", "cluster"});
  }
  if (is_embedded) {
    refuse_server_fields(table, "An embedded", {"host", "port", "unix_path", "tls"});
  }
  if (is_graph) {
    refuse_server_fields(table, "A graph", {"host", "port", "unix_path", "tls", "policy"});
    table.require("tables");
  } else if (table.has("tables")) {
    table.add(ProblemCode::kUnknownField, "tables", "Only a graph endpoint has tables");
  }
  for (const std::string_view name : {"host", "port"}) {
    if (is_server && !is_unix) table.require(name);
    if (is_unix && table.has(name)) {
      table.add(ProblemCode::kUnknownField,
                name,
                base::format("An endpoint with a unix_path has no {}", name));
    }
  }
  if (is_embedded) table.require("data_file");
  if (!is_embedded && table.has("data_file")) {
    table.add(ProblemCode::kUnknownField, "data_file", "Only an embedded endpoint has a data_file");
  }
}

void read_redis_fields(ObjectReader& table, EndpointInfo& endpoint) {
  endpoint.username = find_text(table, "username");
  endpoint.password_env = find_text(table, "password_env");
  if (table.has("username") && endpoint.password_env.empty()) {
    table.add(ProblemCode::kMissingField, "username", "A username needs a password_env");
  }
  const auto database = table.find_int("database", {.minimum = 0, .maximum = kDatabaseMax});
  endpoint.database = static_cast<std::uint32_t>(database.value_or(0));
  endpoint.cluster = table.find_bool("cluster").value_or(false);
  for (const std::string_view name : {"unix_path", "database"}) {
    if (!endpoint.cluster || !table.has(name)) continue;
    table.add(ProblemCode::kUnknownField, name, base::format("A cluster has no {}", name));
  }
}

EndpointInfo read_endpoint(ObjectReader& table) {
  table.allow_only({"kind",
                    "host",
                    "port",
                    "unix_path",
                    "data_file",
                    "tables",
                    "username",
                    "password_env",
                    "database",
                    "cluster",
                    "tls",
                    "policy",
                    "lifecycle",
                    "doc",
                    "replaced_by"});
  EndpointInfo endpoint{.name = std::string(table.value().key())};
  table.require("kind");
  if (const auto kind = table.find_choice("kind", {"redis", "embedded", "http", "graph"})) {
    endpoint.kind = static_cast<EndpointKind>(*kind);
    check_endpoint_fields(table, endpoint.kind);
  }
  endpoint.host = find_text(table, "host");
  std::uint32_t port = 0;
  read_count(table, "port", UINT16_MAX, port);
  endpoint.port = static_cast<std::uint16_t>(port);
  endpoint.data_file = find_text(table, "data_file");
  if (endpoint.kind == EndpointKind::kGraph) endpoint.tables = read_tables(table);
  if (endpoint.kind == EndpointKind::kRedis || endpoint.kind == EndpointKind::kHttp) {
    endpoint.unix_path = find_text(table, "unix_path");
    endpoint.tls = read_tls(table);
  }
  if (endpoint.kind == EndpointKind::kRedis) read_redis_fields(table, endpoint);
  endpoint.policy = read_policy(table, endpoint.kind);
  endpoint.lifecycle = read_lifecycle(table);
  endpoint.doc = find_text(table, "doc");
  endpoint.replaced_by = find_text(table, "replaced_by");
  return endpoint;
}

std::vector<EndpointInfo> read_section(const ObjectReader& section,
                                       base::DocumentReporter& reporter) {
  std::vector<EndpointInfo> endpoints;
  for (const JsonValue entry : section.value().children()) {
    ObjectReader table(entry, section.place_of(entry), reporter);
    check_name(table, reporter);
    if (table.is_object()) endpoints.push_back(read_endpoint(table));
  }
  check_replacements(section, endpoints, reporter);
  return endpoints;
}

/// Checks that all environments have the same endpoints, so that a plan that compiles in one
/// compiles in all.
void check_same_names(ObjectReader& root,
                      const std::array<std::vector<EndpointInfo>, kEnvironmentCount>& sections) {
  std::vector<std::string_view> names;
  for (const auto& section : sections) {
    for (const EndpointInfo& endpoint : section) names.emplace_back(endpoint.name);
  }
  std::ranges::sort(names);
  const auto [first, last] = std::ranges::unique(names);
  names.erase(first, last);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    for (const std::string_view name : names) {
      if (contains(sections[i], name, &EndpointInfo::name)) continue;
      const std::string_view section = to_string(static_cast<Environment>(i));
      root.add(ProblemCode::kMissingEndpoint,
               section,
               base::format("The environment {} lacks an endpoint: {}", section, name));
    }
  }
}

}  // namespace

std::vector<EndpointInfo> read_endpoints(RegistryFile& file, Environment environment) {
  if (!file.root()) return {};
  ObjectReader root(*file.root(), {}, file.reporter());
  std::array<std::vector<EndpointInfo>, kEnvironmentCount> sections;
  for (const JsonValue member : root.value().children()) {
    const std::optional<Environment> found = find_environment(member.key());
    if (!found) {
      file.reporter().add(ProblemCode::kUnknownField,
                          root.place().key(member),
                          "Unknown environment: " + base::shortened(member.key()),
                          "one of dev, test, prod");
      continue;
    }
    ObjectReader section(member, root.place_of(member), file.reporter());
    if (!section.is_object()) continue;
    sections[static_cast<std::size_t>(*found)] = read_section(section, file.reporter());
  }
  check_same_names(root, sections);
  return std::move(sections[static_cast<std::size_t>(environment)]);
}

}  // namespace millrace::plan
