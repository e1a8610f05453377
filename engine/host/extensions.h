#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "plan/registry/registry.h"
#include "tasks/endpoint_driver.h"
#include "tasks/task_registry.h"

namespace millrace::host {

/// What a program adds to the host: tasks besides the row tasks, and a driver for each kind of
/// endpoint. So the host itself knows no protocol.
struct Extensions {
  std::vector<base::Status (*)(tasks::TaskRegistry&)> tasks;
  std::vector<std::unique_ptr<tasks::EndpointDriver>> drivers;

  /// The driver of a kind; nullptr if there is none.
  [[nodiscard]] tasks::EndpointDriver* find_driver(plan::EndpointKind kind) const {
    for (const auto& driver : drivers) {
      if (driver->endpoint_kind() == kind) return driver.get();
    }
    return nullptr;
  }
};

}  // namespace millrace::host
