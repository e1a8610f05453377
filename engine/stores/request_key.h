#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/result.h"
#include "plan/compiled_plan.h"
#include "stores/key_list.h"
#include "tasks/param_types.h"
#include "tasks/prepared_node.h"
#include "tasks/task_context.h"

namespace millrace::stores {

/// The one key of a node without inputs: the names in its pattern are fields of the request.
/// Threading: any thread once it is made. Lifetime: borrows the pattern in each call only.
class RequestKey {
 public:
  RequestKey() = default;

  /// Finds the fields that a pattern names.
  [[nodiscard]] static base::Result<RequestKey> make(const tasks::KeyPatternParam& pattern,
                                                     const plan::CompiledNode& node,
                                                     const tasks::LoadContext& load);

  /// The key of this request; fails if the request has no value for a name.
  [[nodiscard]] base::Result<KeyList> key(const tasks::KeyPatternParam& pattern,
                                          const tasks::TaskContext& context) const;

 private:
  /// By name: its place among the fields that the plan reads; none for `user_id`.
  std::vector<std::optional<std::size_t>> fields_;
};

}  // namespace millrace::stores
