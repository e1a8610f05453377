#pragma once

#include <memory>
#include <string>
#include <utility>

#include "stores/embedded_client.h"
#include "stores/embedded_store.h"
#include "tasks/endpoint_driver.h"

namespace millrace::rankd {

/// Gives every endpoint of one kind the data of a suite, so that its tests need no server.
class SuiteDataDriver final : public tasks::EndpointDriver {
 public:
  SuiteDataDriver(plan::EndpointKind kind, stores::EmbeddedStoreRef data)
      : kind_(kind), data_(std::move(data)) {}

  [[nodiscard]] plan::EndpointKind endpoint_kind() const override { return kind_; }
  [[nodiscard]] tasks::ClientKind client_kind() const override { return tasks::ClientKind::kStore; }
  [[nodiscard]] base::Result<tasks::ConnectedClient> connect(
      const tasks::EndpointPlace& /*place*/, const tasks::ClientServices& /*services*/) override {
    return tasks::ConnectedClient{.transport = {},
                                  .client = std::make_unique<stores::EmbeddedClient>(data_)};
  }
  [[nodiscard]] base::Result<std::string> probe(const tasks::EndpointPlace& /*place*/) override {
    return std::string("data of a test");
  }

 private:
  const plan::EndpointKind kind_;
  const stores::EmbeddedStoreRef data_;
};

}  // namespace millrace::rankd
