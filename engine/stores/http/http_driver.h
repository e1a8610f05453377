#pragma once

#include <string>

#include "base/result.h"
#include "tasks/endpoint_driver.h"

namespace millrace::stores {

/// Endpoints of kind `http`.
class HttpDriver final : public tasks::EndpointDriver {
 public:
  [[nodiscard]] plan::EndpointKind endpoint_kind() const override {
    return plan::EndpointKind::kHttp;
  }
  [[nodiscard]] tasks::ClientKind client_kind() const override { return tasks::ClientKind::kHttp; }
  [[nodiscard]] base::Result<tasks::ConnectedClient> connect(
      const tasks::EndpointPlace& place, const tasks::ClientServices& services) override;
  [[nodiscard]] base::Result<std::string> probe(const tasks::EndpointPlace& place) override;
};

}  // namespace millrace::stores
