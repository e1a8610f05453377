#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/artifact/artifact.h"
#include "plan/compiled_plan.h"
#include "plan/registry/registry.h"
#include "plan/reporter.h"
#include "plan/task_catalog.h"

namespace millrace::plan {

/// What the steps of checking share.
struct CheckContext {
  const Registry& registry;
  const TaskCatalog& catalog;
  Reporter& reporter;
};

/// Where the params of a node stand in the artifact, in the order of the spec; a param that was
/// left out is placed at its node.
using ParamPlaces = std::vector<Where>;

/// A plan between artifact and compiled form. Until it is complete the text of an expression stands
/// where its compiled form will.
struct Draft {
  CompiledPlan plan;                ///< nodes in the order of the artifact
  std::vector<ParamPlaces> places;  ///< of each node's params
  std::vector<Where> where;         ///< of each node
  /// Names some input that could not be resolved: what flows there is not known, and nothing that
  /// reads it can be checked.
  std::vector<bool> unknown_input;
  std::optional<std::vector<ArtifactName>> output_keys;
};

/// Gives the names of a list of registered fields, for suggestions.
template <class Infos>
[[nodiscard]] std::vector<std::string_view> names_of(const Infos& infos) {
  std::vector<std::string_view> names;
  for (const auto& info : infos) names.emplace_back(info.name);
  return names;
}

}  // namespace millrace::plan
