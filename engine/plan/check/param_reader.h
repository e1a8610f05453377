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

/// Turns the params of a node into values in the order of its spec: types, ranges, choices, names
/// of keys and endpoints. Expressions stay text; params of type node stay the name of a slot.
/// Threading: not shared.
struct ReadParams {
  std::vector<ParamValue> values;
  ParamPlaces places;
  /// Params that were there but unusable: nothing more is said of them.
  std::vector<bool> bad;
};

[[nodiscard]] ReadParams read_params(const ArtifactNode& node,
                                     const TaskSpec& task,
                                     const CheckContext& context);

/// Gives the name inside the only `{…}` of a pattern, or nothing.
[[nodiscard]] std::optional<std::string_view> pattern_name(std::string_view pattern);

/// Reports a key that is not registered or blocked; warns of a deprecated one. Gives the key if it
/// is registered.
const FieldInfo* check_key(std::string_view name, const Where& where, const CheckContext& context);

}  // namespace millrace::plan
