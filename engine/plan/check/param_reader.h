#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "plan/artifact/artifact.h"
#include "plan/check/draft.h"
#include "plan/param_value.h"
#include "plan/registry/registry.h"
#include "plan/task_catalog.h"

namespace millrace::plan {

/// The params of a node after checking types, ranges, choices and names of keys and endpoints. Each
/// list is in the order of the task's spec. Expressions are still text; a param of type node is
/// still the name of a slot.
struct ReadParams {
  std::vector<ParamValue> values;
  ParamPlaces places;
  /// Whether the param has a problem that was reported; nothing more is reported about it.
  std::vector<bool> bad;
};

[[nodiscard]] ReadParams read_params(const ArtifactNode& node,
                                     const TaskSpec& task,
                                     const CheckContext& context);

}  // namespace millrace::plan
