#include "rows/concat.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

struct ConcatParams {
  std::optional<NodeParam> rhs;
  std::vector<std::string> tags;
  rows::ConcatTags made_tags;  // made from `tags` by on_load

  static void describe(ParamsDescription<ConcatParams>& params) {
    params.optional("rhs", &ConcatParams::rhs, "Rows that come after those of the inputs");
    params.optional("tags",
                    &ConcatParams::tags,
                    "Name of each input in `source`; by default its position: 0, 1, …");
  }

  base::Status on_load(const plan::CompiledNode& node) {
    if (!tags.empty() && tags.size() != node.inputs.size()) {
      return base::fail(base::ErrorCode::kInvalidPlan,
                        "There must be one tag per input: " + std::to_string(tags.size()) +
                            " instead of " + std::to_string(node.inputs.size()),
                        node.id + ".params.tags");
    }
    // If nothing reads the column `source`, it is not made.
    if (std::ranges::find(node.columns, rows::kSourceColumn) == node.columns.end()) {
      tags.clear();
    } else if (tags.empty()) {
      for (std::size_t i = 0; i < node.inputs.size(); ++i) tags.push_back(std::to_string(i));
    }
    made_tags = tags;
    return {};
  }
};

base::Result<rows::RowSet> concat(const rows::RowSet&,
                                  std::span<const rows::RowSet>,
                                  const ConcatParams& params,
                                  TaskContext& context) {
  return rows::concat(context.inputs(), params.made_tags, context.scratch());
}

}  // namespace

base::Status register_concat(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "concat",
       .doc = "Puts the rows of all inputs one after another; a column that an input lacks is null "
              "there. `source` says which input a row first came from.",
       .kind = plan::TaskKind::kCpu,
       .columns = plan::OutputColumns::kUnion,
       .rows = plan::OutputRows::kOther,
       .writes = {"source"},
       .keeps = {"source"},
       .cost_fixed = std::chrono::microseconds(1),
       .cost_per_row = std::chrono::nanoseconds(5)},
      concat);
}

}  // namespace millrace::tasks
