#pragma once

#include <cstdint>
#include <string_view>

#include "base/metrics/metric_binding.h"

namespace millrace::tasks {

/// What a client of an endpoint can do.
enum class ClientKind : std::uint8_t {
  kStore,  ///< keys to hashes, lists and strings: Redis or embedded data
  kHttp,
};

[[nodiscard]] constexpr std::string_view to_string(ClientKind kind) {
  return kind == ClientKind::kStore ? "store" : "http";
}

/// The base of every client of an endpoint. The modules that own protocols derive from it, so that
/// this module does not depend on them.
/// Threading: loop thread; each loop has its own clients.
class EndpointClient {
 public:
  explicit EndpointClient(ClientKind kind) : client_kind_(kind) {}
  virtual ~EndpointClient() = default;
  EndpointClient(const EndpointClient&) = delete;
  EndpointClient& operator=(const EndpointClient&) = delete;

  [[nodiscard]] ClientKind client_kind() const { return client_kind_; }
  /// Binds the client's cells to the series of its endpoint (tasks/endpoint_metrics.h). The binding
  /// is released before the client goes.
  virtual void bind_metrics(base::MetricBinding& binding, std::string_view endpoint) const = 0;

 private:
  const ClientKind client_kind_;
};

}  // namespace millrace::tasks
