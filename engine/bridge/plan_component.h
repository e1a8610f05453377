#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "graph/compile/component_registry.h"

namespace millrace::bridge {

/// Runs ranking plans for graphs.
/// Threading: any thread.
class PlanRunner {
 public:
  virtual ~PlanRunner() = default;
  /// Whether there is a plan of that name; an error says which there are.
  [[nodiscard]] virtual base::Status find(std::string_view plan) = 0;
  /// Gives the response to a request, whatever it says. Blocks the caller, at most for about as
  /// long as `limit`.
  [[nodiscard]] virtual base::Result<std::string> rank(std::string_view plan,
                                                       std::string_view request,
                                                       base::Duration limit) = 0;
};

/// Adds the type `plan`. Without a runner files that use it can be checked, but not run.
/// Owners of the runner: the types and their components.
[[nodiscard]] base::Status register_plan_component(graph::ComponentRegistry& registry,
                                                   std::shared_ptr<PlanRunner> plans);

}  // namespace millrace::bridge
