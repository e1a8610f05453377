#pragma once

#include <string>

#include "base/result.h"
#include "tasks/endpoint_driver.h"

namespace millrace::stores {

/// Endpoints of kind `redis`.
class RedisDriver final : public tasks::EndpointDriver {
 public:
  [[nodiscard]] plan::EndpointKind endpoint_kind() const override {
    return plan::EndpointKind::kRedis;
  }
  [[nodiscard]] tasks::ClientKind client_kind() const override { return tasks::ClientKind::kStore; }
  [[nodiscard]] base::Result<tasks::ConnectedClient> connect(
      const tasks::EndpointPlace& place, const tasks::ClientServices& services) override;
  [[nodiscard]] base::Result<std::string> probe(const tasks::EndpointPlace& place) override;
};

}  // namespace millrace::stores
