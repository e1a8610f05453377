#include "rows/dedupe.h"

#include <chrono>
#include <optional>
#include <string>

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

struct DedupeParams {
  KeyListParam<AnyValue> by{.names = {"id"}};
  rows::Keep keep = rows::Keep::kFirst;
  std::optional<KeyParam<Number>> score;

  static void describe(ParamsDescription<DedupeParams>& params) {
    params.optional("by", &DedupeParams::by, "Rows with equal values of these keys count as equal");
    params.choice("keep",
                  &DedupeParams::keep,
                  {{"first", rows::Keep::kFirst},
                   {"last", rows::Keep::kLast},
                   {"max", rows::Keep::kMaxScore}},
                  "Which of several equal rows stays; `max`: the one with the largest `score`");
    params.optional("score", &DedupeParams::score, "Key that `keep: max` compares");
  }

  base::Status on_load(const plan::CompiledNode& node) {
    if ((keep == rows::Keep::kMaxScore) == score.has_value()) return {};
    return base::fail(base::ErrorCode::kInvalidPlan,
                      "`score` must be given if `keep` is `max`, and only then",
                      node.id + ".params.score");
  }
};

base::Result<rows::RowSet> dedupe(const rows::RowSet& rows,
                                  const DedupeParams& params,
                                  TaskContext& context) {
  const rows::DedupeOptions options{.keys = params.by.names,
                                    .keep = params.keep,
                                    .score = params.score ? params.score->name : std::string()};
  return rows::dedupe(rows, options, context.scratch());
}

}  // namespace

base::Status register_dedupe(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "dedupe",
       .doc =
           "Leaves one row for each distinct value of the keys, in input order; null equals null.",
       .kind = plan::TaskKind::kCpu,
       .rows = plan::OutputRows::kSubset,
       .cost_fixed = std::chrono::microseconds(1),
       .cost_per_row = std::chrono::nanoseconds(20)},
      dedupe);
}

}  // namespace millrace::tasks
