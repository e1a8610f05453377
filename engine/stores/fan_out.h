#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "loop/task.h"
#include "plan/compiled_plan.h"
#include "rows/row_set.h"
#include "stores/request_key.h"
#include "stores/store_client.h"
#include "tasks/param_types.h"
#include "tasks/prepared_node.h"
#include "tasks/task_context.h"

namespace millrace::stores {

/// The most items that a list may give to one row, and the most members of a set that is read.
inline constexpr std::int64_t kFanoutMax = 100'000;
inline constexpr std::int64_t kFanoutDefault = 100;

/// Describes the param `carry` of every fan-out.
inline constexpr const char* kCarryDoc =
    "Columns that the new rows take along from the row they come from: keys, or new keys with the "
    "keys they are taken from; by default none";

/// What a fan-out reads.
/// Lifetime: what it points to is borrowed until the task has ended.
struct FanOut {
  tasks::StoreEndpoint endpoint;
  const tasks::KeyPatternParam* pattern = nullptr;
  const RequestKey* request_key = nullptr;  ///< for a node without inputs
  StoreCommand command = StoreCommand::kListRange;
  std::int64_t fanout = kFanoutDefault;  ///< for a set: the most members
  bool reversed = false;
  const tasks::OutKeyParam<tasks::Float>* score_key = nullptr;  ///< that gets the scores
};

/// Finds the fields of the request that a pattern names, if the node has no inputs.
[[nodiscard]] base::Result<RequestKey> make_source_key(const tasks::KeyPatternParam& pattern,
                                                       const plan::CompiledNode& node,
                                                       const tasks::LoadContext& load);

/// Reads ids from the store, once per row and all in one batch, and gives a row per id: by input
/// row, then by place in the list; members of a set by id. Columns are `id`, `parent_id`, the
/// scores and the node's `taken_columns`. A key that is missing is empty; an item that is no int64
/// fails the node. A score that is not finite is null and a row error. Without rows, reads the one
/// key that the request names; there is no `parent_id` then. What would keep the loop for long is
/// done on a worker.
[[nodiscard]] loop::Task<base::Result<rows::RowSet>> fan_out(std::optional<rows::RowSet> rows,
                                                             FanOut what,
                                                             tasks::TaskContext context);

}  // namespace millrace::stores
