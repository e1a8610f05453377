#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/formats/document_reporter.h"
#include "plan/artifact/artifact.h"
#include "plan/compiled_plan.h"
#include "plan/registry/registry.h"
#include "plan/task_catalog.h"

namespace millrace::plan {

/// What all steps of checking use.
/// Lifetime: borrows all of it.
struct CheckContext {
  const Registry& registry;
  const TaskCatalog& catalog;
  base::DocumentReporter& reporter;
};

/// Where the params of a node stand in the artifact, in the order of the spec; a param that was
/// left out is placed at its node.
using ParamPlaces = std::vector<base::ValuePlace>;

/// A plan that is being checked. A param that is an expression holds its text until the expression
/// is compiled.
struct Draft {
  CompiledPlan plan;                    ///< nodes in the order of the artifact
  std::vector<ParamPlaces> places;      ///< of each node's params
  std::vector<base::ValuePlace> where;  ///< of each node
  /// For each node, whether one of its inputs could not be resolved. Its columns are then unknown,
  /// and nothing that reads them can be checked.
  std::vector<bool> unknown_input;
  /// For each node, whether a problem of it was reported. Nothing that depends on its params being
  /// right is checked then.
  std::vector<bool> has_problem;
  std::optional<std::vector<ArtifactName>> output_keys;
};

/// Gives `node 'top' (sort)`, for reports.
[[nodiscard]] inline std::string subject_of(const CompiledNode& node) {
  return "node '" + node.id + "' (" + (node.task != nullptr ? node.task->op : "?") + ")";
}

/// Gives the names of a list of registered fields, for suggestions.
template <class Infos>
[[nodiscard]] std::vector<std::string_view> names_of(const Infos& infos) {
  std::vector<std::string_view> names;
  for (const auto& info : infos) names.emplace_back(info.name);
  return names;
}

}  // namespace millrace::plan
