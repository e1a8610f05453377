#include "rows/join.h"

#include <chrono>
#include <cstddef>
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
  KeyListParam by{.names = {"id"}};
  std::vector<std::string> rhs_by;
  rows::JoinKind kind = rows::JoinKind::kInner;
  std::string prefix;
  std::vector<rows::JoinKey> keys;  // pairs of `by` and `rhs_by`

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
    params.optional(
        "prefix", &JoinParams::prefix, "Put before the names of the columns from the right side");
  }

  base::Status on_load(const plan::CompiledNode& node) {
    if (!rhs_by.empty() && rhs_by.size() != by.names.size()) {
      return base::fail(base::ErrorCode::kInvalidPlan,
                        "`by` and `rhs_by` must have the same number of keys",
                        node.id + ".params.rhs_by");
    }
    for (std::size_t i = 0; i < by.names.size(); ++i) {
      keys.push_back({.left = by.names[i], .right = rhs_by.empty() ? by.names[i] : rhs_by[i]});
    }
    return {};
  }
};

base::Result<rows::RowSet> join(const rows::RowSet& left,
                                const JoinParams& params,
                                TaskContext& context) {
  const rows::JoinOptions options{
      .kind = params.kind, .keys = params.keys, .right_prefix = params.prefix};
  return rows::join(left, context.input(params.rhs), options, context.scratch());
}

}  // namespace

base::Status register_join(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "join",
       .doc = "Joins rows with equal keys. A column that both sides have is an error that "
              "names it: nothing is overwritten.",
       .kind = plan::TaskKind::kCpu,
       .columns = plan::OutputColumns::kUnion,
       .rows = plan::OutputRows::kOther,
       .cost_fixed = std::chrono::microseconds(2),
       .cost_per_row = std::chrono::nanoseconds(40)},
      join);
}

}  // namespace millrace::tasks
