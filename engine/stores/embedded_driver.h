#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "stores/embedded_store.h"
#include "tasks/endpoint_driver.h"

namespace millrace::stores {

/// Endpoints of kind `embedded`: a data file, read once for all loops.
class EmbeddedDriver final : public tasks::EndpointDriver {
 public:
  [[nodiscard]] plan::EndpointKind endpoint_kind() const override {
    return plan::EndpointKind::kEmbedded;
  }
  [[nodiscard]] tasks::ClientKind client_kind() const override { return tasks::ClientKind::kStore; }
  [[nodiscard]] base::Result<tasks::ConnectedClient> connect(
      const tasks::EndpointPlace& place, const tasks::ClientServices& services) override;
  [[nodiscard]] base::Result<std::string> probe(const tasks::EndpointPlace& place) override;

 private:
  // By path. A store lives as long as a client uses it; a later start reads the file anew.
  std::map<std::string, std::weak_ptr<const EmbeddedStore>> stores_;
};

}  // namespace millrace::stores
