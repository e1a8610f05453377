#pragma once

#include <cstdint>

#include "base/result.h"
#include "loop/task.h"
#include "rows/row_set.h"
#include "tasks/param_types.h"
#include "tasks/task_context.h"

namespace millrace::stores {

/// The most items that a list may give to one row.
inline constexpr std::int64_t kFanoutMax = 100'000;
inline constexpr std::int64_t kFanoutDefault = 100;

/// Describes the param `carry` of every fan-out.
inline constexpr const char* kCarryDoc =
    "Columns that the new rows take along from the row they come from: keys, or new keys with the "
    "keys they are taken from; by default none";

/// What a fan-out reads.
/// Lifetime: the pattern is borrowed until the task has ended.
struct FanOut {
  tasks::StoreEndpoint endpoint;
  const tasks::KeyPatternParam* pattern = nullptr;
  std::int64_t fanout = kFanoutDefault;
};

/// Reads one list of ids per row, all in one batch, and gives a row per item: by input row, then by
/// place in the list. Columns are `id`, `parent_id` and the node's
/// `taken_columns`. A list that is missing is empty; an item that is no int64 fails the node.
[[nodiscard]] loop::Task<base::Result<rows::RowSet>> fan_out(rows::RowSet rows,
                                                             FanOut what,
                                                             tasks::TaskContext context);

}  // namespace millrace::stores
