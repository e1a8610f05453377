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

/// Gives the name inside the only `{…}` of a pattern, or nothing.
[[nodiscard]] std::optional<std::string_view> pattern_name(std::string_view pattern);

/// Gives the key of this name; reports one that is not registered or is blocked, and gives nullptr.
const FieldInfo* check_key(std::string_view name,
                           const base::ValuePlace& where,
                           const CheckContext& context);

}  // namespace millrace::plan
