#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "expr/evaluate.h"
#include "plan/compiled_plan.h"
#include "rows/column.h"
#include "tasks/endpoint_client.h"

namespace millrace::tasks {

class TaskBody;

/// What a task may look up when a plan is loaded, so that nothing is looked up per request.
/// Lifetime: used during loading only.
struct LoadContext {
  /// The plan that the node belongs to; nullptr in tests without a plan.
  const plan::CompiledPlan* plan = nullptr;
  /// Kind of client by `plan::EndpointId`; if empty, kinds are not checked.
  std::span<const ClientKind> endpoints = {};
  /// Gives the name of an endpoint, for messages; if empty, names are not known.
  std::function<std::string(plan::EndpointId)> endpoint_name = {};
  /// Gives the type of a registered key; if empty, keys that tasks write are float.
  std::function<std::optional<rows::ColumnType>(std::string_view key)> key_type = {};
};

/// A node of a plan with its body and with params in the form the body reads.
/// Threading: any thread; immutable. Lifetime: borrows the plan and the registry.
struct PreparedNode {
  const plan::CompiledNode* node = nullptr;
  const TaskBody* body = nullptr;
  /// The params struct of the task. Owners: this and its copies.
  std::shared_ptr<const void> params;
  /// Makes the seeds of nodes differ; depends on the node's id only.
  std::uint64_t seed_salt = 0;
  expr::OnRowError on_row_error = expr::OnRowError::kNull;
};

}  // namespace millrace::tasks
