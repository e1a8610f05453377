#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/result.h"
#include "loop/task.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "stores/fan_out.h"
#include "stores/request_key.h"
#include "stores/store_client.h"
#include "stores/store_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/prepared_node.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::stores {
namespace {

enum class ScoreOrder : std::uint8_t { kAscending, kDescending };

struct SortedSetParams {
  tasks::StoreEndpoint endpoint;
  tasks::KeyPatternParam pattern;
  ScoreOrder order = ScoreOrder::kAscending;
  std::int64_t fanout = kFanoutDefault;
  std::optional<tasks::OutKeyParam<tasks::Float>> with_scores;
  tasks::KeyMapParam carry;
  RequestKey request_key;  // of the pattern, for a node without inputs

  static void describe(tasks::ParamsDescription<SortedSetParams>& params) {
    params.required("endpoint", &SortedSetParams::endpoint, "Store that has the sorted sets");
    params.required("pattern",
                    &SortedSetParams::pattern,
                    "Key of a row's sorted set, as `top:{country}`; without an input, of the one "
                    "that is read, as `trending` or `feed:{user_id}`");
    params.choice("order",
                  &SortedSetParams::order,
                  {{"asc", ScoreOrder::kAscending}, {"desc", ScoreOrder::kDescending}},
                  "Which members come first: those of the lowest scores, or of the highest (REV)");
    params.optional("fanout",
                    &SortedSetParams::fanout,
                    "How many members of a sorted set are taken, in that order",
                    {.minimum = 1, .maximum = static_cast<double>(kFanoutMax)});
    params.optional("with_scores",
                    &SortedSetParams::with_scores,
                    "Key that gets the score of a member; one that is not finite is null, and a "
                    "row error");
    params.optional("carry", &SortedSetParams::carry, kCarryDoc);
  }

  base::Status on_load(const plan::CompiledNode& node, const tasks::LoadContext& load) {
    MR_TRY(request_key, make_source_key(pattern, node, load));
    return {};
  }
};

loop::Task<base::Result<rows::RowSet>> sorted_set(std::optional<rows::RowSet> rows,
                                                  const SortedSetParams* params,
                                                  tasks::TaskContext context) {
  return fan_out(std::move(rows),
                 {.endpoint = params->endpoint,
                  .pattern = &params->pattern,
                  .request_key = &params->request_key,
                  .command = StoreCommand::kSortedSetRange,
                  .fanout = params->fanout,
                  .reversed = params->order == ScoreOrder::kDescending,
                  .score_key = params->with_scores ? &*params->with_scores : nullptr},
                 context);
}

}  // namespace

base::Status register_sorted_set(tasks::TaskRegistry& registry) {
  return tasks::register_task(
      registry,
      {.op = "sorted_set",
       .doc = "ZRANGE of the key that `pattern` gives for each row, all in one round trip: the ids "
              "in its sorted set, by row, then by score; equal scores by the text of the id, as in "
              "Redis. Without an input it reads one sorted set, and names in `pattern` are fields "
              "of the request.",
       .kind = plan::TaskKind::kAsync,
       .columns = plan::OutputColumns::kFanOut,
       .rows = plan::OutputRows::kOther,
       .can_fail = true,
       .cost_fixed = std::chrono::microseconds(5),
       .cost_per_row = std::chrono::nanoseconds(400)},
      &sorted_set);
}

}  // namespace millrace::stores
