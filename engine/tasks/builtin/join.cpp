#include "rows/join.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "rows/key_groups.h"
#include "rows/row_set.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

struct JoinParams {
  NodeParam rhs;
  KeyListParam<AnyValue> by{.names = {"id"}};
  std::optional<KeyListParam<AnyValue>> rhs_by;
  rows::JoinKind kind = rows::JoinKind::kInner;
  std::optional<KeyMapParam> columns;
  std::vector<rows::JoinKey> keys;  // pairs of `by` and `rhs_by`
  std::vector<rows::JoinColumn> taken;

  static void describe(ParamsDescription<JoinParams>& params) {
    params.required("rhs", &JoinParams::rhs, "Rows to match with");
    params.optional("by", &JoinParams::by, "Keys that must be equal; null matches nothing");
    params.optional("rhs_by",
                    &JoinParams::rhs_by,
                    "Names of these keys on the right side, if they differ from `by`");
    params.choice("kind",
                  &JoinParams::kind,
                  {{"inner", rows::JoinKind::kInner},
                   {"left", rows::JoinKind::kLeft},
                   {"semi", rows::JoinKind::kSemi},
                   {"anti", rows::JoinKind::kAnti}},
                  "Which rows the result has; `semi` and `anti` add no columns");
    params.optional("columns",
                    &JoinParams::columns,
                    "Columns to take from the right side: keys, or new keys with the keys they "
                    "are taken from; by default all but `id` and those of `rhs_by`");
    params.read_from("rhs_by", "rhs");
    params.read_from("columns", "rhs");
  }

  base::Status on_load(const plan::CompiledNode& node) {
    const std::vector<std::string>& right = rhs_by ? rhs_by->names : by.names;
    if (right.size() != by.names.size()) {
      return base::fail(base::ErrorCode::kInvalidPlan,
                        "`by` and `rhs_by` must have the same number of keys",
                        node.id + ".params.rhs_by");
    }
    for (std::size_t i = 0; i < by.names.size(); ++i) {
      keys.push_back({.left = by.names[i], .right = right[i]});
    }
    for (const plan::KeyMove& move : node.taken_columns) {
      taken.push_back({.name = move.from, .new_name = move.to});
    }
    return {};
  }
};

base::Result<rows::RowSet> join(const rows::RowSet& left,
                                const JoinParams& params,
                                TaskContext& context) {
  const rows::JoinOptions options{
      .kind = params.kind, .keys = params.keys, .right_columns = params.taken};
  return rows::join(left, context.input(params.rhs), options, context.scratch());
}

}  // namespace

base::Status register_join(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "join",
       .doc = "Joins rows with equal keys. A plan in which both sides have the same column is "
              "refused: nothing is overwritten.",
       .kind = plan::TaskKind::kCpu,
       .columns = plan::OutputColumns::kJoin,
       .rows = plan::OutputRows::kOther,
       .join = plan::JoinSpec{.rhs = "rhs",
                              .by = "by",
                              .rhs_by = "rhs_by",
                              .columns = "columns",
                              .kind = "kind",
                              .kinds_without_columns = {"semi", "anti"}},
       .cost_fixed = std::chrono::microseconds(2),
       .cost_per_row = std::chrono::nanoseconds(40)},
      join);
}

}  // namespace millrace::tasks
