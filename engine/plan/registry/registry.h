#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "plan/param_value.h"
#include "plan/problem.h"
#include "rows/column.h"

namespace millrace::plan {

enum class Lifecycle : std::uint8_t { kActive, kDeprecated, kBlocked };

/// Default of a key or param; monostate for none.
using DefaultValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// A registered key (a column of rows) or param (`$name`).
struct FieldInfo {
  std::string name;
  rows::ColumnType type = rows::ColumnType::kInt64;
  bool nullable = true;
  bool allow_write = true;  ///< whether a plan may write the key, or a request override the param
  Lifecycle lifecycle = Lifecycle::kActive;
  DefaultValue fallback = {};
  std::string doc = {};
  std::string replaced_by = {};  ///< empty for none
  /// Of a key: prefixes of the hashes that have it, as `item` of `item:7`; empty: any hash may.
  std::vector<std::string> of = {};
};

enum class Environment : std::uint8_t { kDev, kTest, kProd };
inline constexpr std::size_t kEnvironmentCount = 3;

[[nodiscard]] std::string_view to_string(Environment environment);
[[nodiscard]] std::optional<Environment> find_environment(std::string_view name);

/// `kGraph`: the state tables of a graph that runs in the same process.
enum class EndpointKind : std::uint8_t { kRedis, kEmbedded, kHttp, kGraph };

[[nodiscard]] std::string_view to_string(EndpointKind kind);
[[nodiscard]] std::string_view to_string(Lifecycle lifecycle);

/// How an endpoint is used. The last five fields are for redis only.
struct EndpointPolicy {
  std::uint32_t max_inflight = 256;  ///< redis: commands; http: requests
  std::uint32_t connections = 1;     ///< of each loop; http: kept open when idle
  base::Duration connect_timeout = std::chrono::milliseconds(100);
  base::Duration request_timeout = std::chrono::seconds(1);
  std::uint32_t breaker_failures = 5;  ///< in a row after which calls are refused at once
  base::Duration breaker_open =
      std::chrono::milliseconds(200);  ///< how long calls are then refused
  bool single_flight = true;           ///< equal reads at the same time are sent once
  base::Duration
      hedge_after{};           ///< sends the read to a second connection after this time; 0: never
  base::Duration cache_ttl{};  ///< how long a cached reply may be used; 0: no cache
  std::uint32_t cache_bytes = 16U << 20U;
  std::uint32_t protocol = 3;  ///< version of RESP; 3 falls back to 2 if the server lacks it
  friend bool operator==(const EndpointPolicy&, const EndpointPolicy&) = default;
};

/// How connections to an endpoint are encrypted. Files are relative to the same folder as
/// `EndpointInfo::data_file`.
struct EndpointTls {
  std::string ca_file = {};           ///< authorities to trust; those of the system if empty
  std::string certificate_file = {};  ///< of the client; none if empty
  std::string key_file = {};
  std::string server_name = {};  ///< name in the server's certificate; the host if empty
  bool verify = true;
  friend bool operator==(const EndpointTls&, const EndpointTls&) = default;
};

/// Where an endpoint is in one environment.
struct EndpointInfo {
  std::string name = {};
  EndpointKind kind = EndpointKind::kEmbedded;
  std::string host = {};       ///< redis and http
  std::uint16_t port = 0;      ///< redis and http
  std::string unix_path = {};  ///< redis and http: a unix socket instead of host and port
  std::string data_file = {};  ///< embedded; relative to the folder that holds `registry/`
  std::vector<std::string> tables = {};  ///< graph: the state tables that plans may read
  std::string username = {};             ///< redis
  std::string password_env = {};         ///< redis: the environment variable that has the password
  std::uint32_t database = 0;            ///< redis
  bool cluster = false;                  ///< redis: the server is a node of a Redis Cluster
  std::optional<EndpointTls> tls = {};   ///< redis and http
  EndpointPolicy policy = {};
  Lifecycle lifecycle = Lifecycle::kActive;
  std::string doc = {};
  std::string replaced_by = {};
  friend bool operator==(const EndpointInfo&, const EndpointInfo&) = default;
};

/// Texts of the three files.
struct RegistryTexts {
  std::string_view keys;
  std::string_view params;
  std::string_view endpoints;
};

/// The names that plans may use. `id`, `parent_id` and `source` are always there.
/// Threading: any thread; immutable. Lifetime: outlives the plans compiled against it.
class Registry {
 public:
  Registry(std::vector<FieldInfo> keys,
           std::vector<FieldInfo> params,
           std::vector<EndpointInfo> endpoints);

  [[nodiscard]] const FieldInfo* find_key(std::string_view name) const;
  [[nodiscard]] const FieldInfo* find_param(std::string_view name) const;
  [[nodiscard]] std::optional<EndpointId> find_endpoint(std::string_view name) const;

  /// Each sorted by name; an endpoint has the same place in every environment.
  [[nodiscard]] std::span<const FieldInfo> keys() const { return keys_; }
  [[nodiscard]] std::span<const FieldInfo> params() const { return params_; }
  [[nodiscard]] std::span<const EndpointInfo> endpoints() const { return endpoints_; }
  [[nodiscard]] const EndpointInfo& endpoint(EndpointId id) const { return endpoints_[id.index]; }

 private:
  std::vector<FieldInfo> keys_;
  std::vector<FieldInfo> params_;
  std::vector<EndpointInfo> endpoints_;
};

/// Says whether a key is one that the engine itself gives to rows: `id`, `parent_id`, `source`.
[[nodiscard]] bool is_built_in_key(std::string_view name);

/// Reads the registry of one environment and checks all three; every problem of every file is in
/// the report.
[[nodiscard]] std::expected<Registry, ProblemReport> read_registry(const RegistryTexts& texts,
                                                                   Environment environment);

/// Gives the type of `$req.name`: a field that every request may have, or the registered param or
/// key of that name. The value may always be null. Gives nothing for an unknown name.
[[nodiscard]] std::optional<rows::ColumnType> find_request_field(const Registry& registry,
                                                                 std::string_view name);

/// Names that `find_request_field` knows, for suggestions.
[[nodiscard]] std::vector<std::string_view> request_field_names(const Registry& registry);

}  // namespace millrace::plan
