#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "bridge/graph_tables.h"
#include "plan/registry/registry.h"
#include "tasks/endpoint_client.h"
#include "tasks/endpoint_driver.h"

namespace millrace::bridge {

/// Endpoints of the kind `graph`. Without a graph in the process their clients fail each call, as
/// those of a server that is down.
/// Lifetime: borrows the tables.
class GraphDriver final : public tasks::EndpointDriver {
 public:
  /// `problem` says what is wrong with the graph now; empty: nothing ever is.
  explicit GraphDriver(const GraphTables* tables,
                       std::function<std::optional<std::string>()> problem = {})
      : tables_(tables), problem_(std::move(problem)) {}

  [[nodiscard]] plan::EndpointKind endpoint_kind() const override {
    return plan::EndpointKind::kGraph;
  }
  [[nodiscard]] tasks::ClientKind client_kind() const override { return tasks::ClientKind::kStore; }
  /// Fails if the graph writes no table of a name that the endpoint has.
  [[nodiscard]] base::Result<tasks::ConnectedClient> connect(
      const tasks::EndpointPlace& place, const tasks::ClientServices& services) override;
  [[nodiscard]] base::Result<std::string> probe(const tasks::EndpointPlace& place) override;

 private:
  [[nodiscard]] base::Status check(const plan::EndpointInfo& endpoint) const;

  const GraphTables* const tables_;
  const std::function<std::optional<std::string>()> problem_;
};

}  // namespace millrace::bridge
