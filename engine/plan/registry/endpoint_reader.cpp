// Reads endpoints.toml.

#include "plan/registry/endpoint_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/formats/toml_reader.h"
#include "plan/membership.h"
#include "plan/problem.h"
#include "plan/registry/registry.h"
#include "plan/registry/registry_table.h"

namespace millrace::plan {

using base::TomlMember;
using base::TomlValue;

namespace {

/// Reads `50ms`, `2s` or `500us`: a whole number above 0 and at most an hour.
std::optional<base::Duration> parse_duration(std::string_view text) {
  std::int64_t count = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || count <= 0) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  const base::Duration one = unit == "us"   ? base::Duration(std::chrono::microseconds(1))
                             : unit == "ms" ? base::Duration(std::chrono::milliseconds(1))
                             : unit == "s"  ? base::Duration(std::chrono::seconds(1))
                                            : base::Duration(0);
  if (one.count() == 0 || count > std::chrono::hours(1) / one) return std::nullopt;
  return one * count;
}

void read_duration(TableReader& table, std::string_view name, base::Duration& out) {
  const std::optional<std::string> text = table.find<std::string>(name, "string");
  if (!text) return;
  if (const std::optional<base::Duration> duration = parse_duration(*text)) {
    out = *duration;
  } else {
    table.add(ProblemCode::kBadTimeout,
              name,
              "Not a duration: " + *text,
              "a whole number with a unit, as '50ms', '2s' or '500us', at most an hour");
  }
}

void read_count(TableReader& table,
                std::string_view name,
                std::int64_t maximum,
                std::uint32_t& out) {
  const std::optional<std::int64_t> count = table.find<std::int64_t>(name, "int");
  if (!count) return;
  if (*count >= 1 && *count <= maximum) {
    out = static_cast<std::uint32_t>(*count);
  } else {
    table.add(ProblemCode::kParamRange,
              name,
              base::format("{} is not within 1 and {}: {}", name, maximum, *count));
  }
}

constexpr std::int64_t kDatabaseMax = 1'000'000;

void refuse_redis_fields(TableReader& table, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (table.find_raw(name) == nullptr) continue;
    table.add(
        ProblemCode::kUnknownField, name, base::format("Only a redis endpoint has a {}", name));
  }
}

void refuse_embedded_fields(TableReader& table, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (table.find_raw(name) == nullptr) continue;
    table.add(
        ProblemCode::kUnknownField, name, base::format("An embedded endpoint has no {}", name));
  }
}

/// The fields of a policy that only a redis endpoint has.
void read_redis_policy(TableReader& table, EndpointPolicy& policy) {
  policy.single_flight = table.find<bool>("single_flight", "bool").value_or(true);
  read_duration(table, "hedge_after", policy.hedge_after);
  read_duration(table, "cache_ttl", policy.cache_ttl);
  read_count(table, "cache_bytes", INT32_MAX, policy.cache_bytes);
  read_count(table, "protocol", 3, policy.protocol);
  if (policy.protocol == 1) {
    table.add(ProblemCode::kParamRange, "protocol", "protocol is 2 or 3: 1");
  }
}

EndpointPolicy read_policy(RegistryFile& file,
                           TableReader& endpoint,
                           const std::string& path,
                           EndpointKind kind) {
  EndpointPolicy policy;
  const TomlValue* raw = endpoint.find_raw("policy");
  if (raw == nullptr) return policy;
  const TomlMember member{.name = "policy", .place = raw->place, .value = *raw};
  TableReader table(file, member, path + ".policy");
  if (!table.is_table()) return policy;
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

std::optional<EndpointTls> read_tls(RegistryFile& file,
                                    TableReader& endpoint,
                                    const std::string& path) {
  const TomlValue* raw = endpoint.find_raw("tls");
  if (raw == nullptr) return std::nullopt;
  const TomlMember member{.name = "tls", .place = raw->place, .value = *raw};
  TableReader table(file, member, path + ".tls");
  if (!table.is_table()) return std::nullopt;
  table.allow_only({"ca_file", "certificate_file", "key_file", "server_name", "verify"});
  const auto text = [&](std::string_view name) {
    return table.find<std::string>(name, "string").value_or("");
  };
  EndpointTls tls{.ca_file = text("ca_file"),
                  .certificate_file = text("certificate_file"),
                  .key_file = text("key_file"),
                  .server_name = text("server_name"),
                  .verify = table.find<bool>("verify", "bool").value_or(true)};
  if (tls.certificate_file.empty() != tls.key_file.empty()) {
    table.add(ProblemCode::kMissingField,
              "certificate_file",
              "certificate_file and key_file stand together");
  }
  return tls;
}

/// Refuses the fields of the other kinds and requires those of its own.
void check_endpoint_fields(TableReader& table, EndpointKind kind) {
  const bool is_embedded = kind == EndpointKind::kEmbedded;
  const bool is_unix = !is_embedded && table.find_raw("unix_path") != nullptr;
  if (kind != EndpointKind::kRedis) {
    refuse_redis_fields(table, {"username", "password_env", "database", "cluster"});
  }
  if (is_embedded) refuse_embedded_fields(table, {"host", "port", "unix_path", "tls"});
  for (const std::string_view name : {"host", "port"}) {
    if (!is_embedded && !is_unix) table.require(name);
    if (is_unix && table.find_raw(name) != nullptr) {
      table.add(ProblemCode::kUnknownField,
                name,
                base::format("An endpoint with a unix_path has no {}", name));
    }
  }
  if (is_embedded) table.require("data_file");
  if (!is_embedded && table.find_raw("data_file") != nullptr) {
    table.add(ProblemCode::kUnknownField, "data_file", "Only an embedded endpoint has a data_file");
  }
}

void read_redis_fields(TableReader& table, EndpointInfo& endpoint) {
  const auto text = [&](std::string_view name) {
    return table.find<std::string>(name, "string").value_or("");
  };
  endpoint.username = text("username");
  endpoint.password_env = text("password_env");
  if (table.find_raw("username") != nullptr && endpoint.password_env.empty()) {
    table.add(ProblemCode::kMissingField, "username", "A username needs a password_env");
  }
  const std::optional<std::int64_t> database = table.find<std::int64_t>("database", "int");
  if (database && (*database < 0 || *database > kDatabaseMax)) {
    table.add(ProblemCode::kParamRange,
              "database",
              base::format("database is not within 0 and {}: {}", kDatabaseMax, *database));
  } else {
    endpoint.database = static_cast<std::uint32_t>(database.value_or(0));
  }
  endpoint.cluster = table.find<bool>("cluster", "bool").value_or(false);
  for (const std::string_view name : {"unix_path", "database"}) {
    if (!endpoint.cluster || table.find_raw(name) == nullptr) continue;
    table.add(ProblemCode::kUnknownField, name, base::format("A cluster has no {}", name));
  }
}

EndpointInfo read_endpoint(RegistryFile& file,
                           TableReader& table,
                           const std::string& name,
                           const std::string& path) {
  table.allow_only({"kind",
                    "host",
                    "port",
                    "unix_path",
                    "data_file",
                    "username",
                    "password_env",
                    "database",
                    "cluster",
                    "tls",
                    "policy",
                    "lifecycle",
                    "doc",
                    "replaced_by"});
  EndpointInfo endpoint{.name = name};
  table.require("kind");
  if (const auto kind = table.find_choice("kind", {"redis", "embedded", "http"})) {
    endpoint.kind = static_cast<EndpointKind>(*kind);
    check_endpoint_fields(table, endpoint.kind);
  }
  endpoint.host = table.find<std::string>("host", "string").value_or("");
  std::uint32_t port = 0;
  read_count(table, "port", UINT16_MAX, port);
  endpoint.port = static_cast<std::uint16_t>(port);
  endpoint.data_file = table.find<std::string>("data_file", "string").value_or("");
  if (endpoint.kind != EndpointKind::kEmbedded) {
    endpoint.unix_path = table.find<std::string>("unix_path", "string").value_or("");
    endpoint.tls = read_tls(file, table, path);
  }
  if (endpoint.kind == EndpointKind::kRedis) read_redis_fields(table, endpoint);
  endpoint.policy = read_policy(file, table, path, endpoint.kind);
  endpoint.lifecycle = read_lifecycle(table);
  endpoint.doc = table.find<std::string>("doc", "string").value_or("");
  endpoint.replaced_by = table.find<std::string>("replaced_by", "string").value_or("");
  return endpoint;
}

std::vector<EndpointInfo> read_section(RegistryFile& file, const TomlMember& section) {
  std::vector<EndpointInfo> endpoints;
  if (!TableReader(file, section, section.name).is_table()) return endpoints;
  for (const TomlMember& entry : *section.value.find<TomlValue::Table>()) {
    const std::string path = section.name + "." + entry.name;
    TableReader table(file, entry, path);
    check_name(file, entry, path);
    if (table.is_table()) endpoints.push_back(read_endpoint(file, table, entry.name, path));
  }
  check_replacements(file, section.name, endpoints);
  return endpoints;
}

/// A plan must compile in every environment or in none, so each names the same endpoints.
void check_same_names(RegistryFile& file,
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
      file.add(ProblemCode::kMissingEndpoint,
               {},
               std::string(section),
               base::format("The environment {} lacks an endpoint: {}", section, name));
    }
  }
}

}  // namespace

std::vector<EndpointInfo> read_endpoints(RegistryFile& file,
                                         std::string_view text,
                                         Environment environment) {
  const std::optional<TomlValue> root = file.read(text);
  if (!root) return {};
  std::array<std::vector<EndpointInfo>, kEnvironmentCount> sections;
  for (const TomlMember& section : *root->find<TomlValue::Table>()) {
    if (const std::optional<Environment> found = find_environment(section.name)) {
      sections[static_cast<std::size_t>(*found)] = read_section(file, section);
    } else {
      file.add(ProblemCode::kUnknownField,
               section.place,
               section.name,
               "Unknown environment: " + section.name,
               "one of dev, test, prod");
    }
  }
  check_same_names(file, sections);
  return std::move(sections[static_cast<std::size_t>(environment)]);
}

}  // namespace millrace::plan
