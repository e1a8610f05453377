#include <chrono>
#include <cstdint>
#include <utility>

#include "base/result.h"
#include "loop/task.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "stores/fan_out.h"
#include "stores/store_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::stores {
namespace {

struct RecommendationParams {
  tasks::StoreEndpoint endpoint;
  tasks::KeyPatternParam pattern{.prefix = "recommendation:", .name = "id", .suffix = ""};
  std::int64_t fanout = kFanoutDefault;
  tasks::KeyMapParam carry;

  static void describe(tasks::ParamsDescription<RecommendationParams>& params) {
    params.required("endpoint", &RecommendationParams::endpoint, "Store that has the lists");
    params.optional("pattern", &RecommendationParams::pattern, "Key of a row's list");
    params.optional("fanout",
                    &RecommendationParams::fanout,
                    "How many items of a list are taken, from its start",
                    {.minimum = 1, .maximum = static_cast<double>(kFanoutMax)});
    params.optional("carry", &RecommendationParams::carry, kCarryDoc);
  }
};

loop::Task<base::Result<rows::RowSet>> recommendation(rows::RowSet rows,
                                                      const RecommendationParams* params,
                                                      tasks::TaskContext context) {
  return fan_out(
      std::move(rows),
      {.endpoint = params->endpoint, .pattern = &params->pattern, .fanout = params->fanout},
      context);
}

}  // namespace

base::Status register_recommendation(tasks::TaskRegistry& registry) {
  return tasks::register_task(
      registry,
      {.op = "recommendation",
       .doc = "LRANGE of `recommendation:{id}` for each row, all in one round trip: what is "
              "recommended to it, by row, then by place in the list.",
       .kind = plan::TaskKind::kAsync,
       .columns = plan::OutputColumns::kFanOut,
       .rows = plan::OutputRows::kOther,
       .can_fail = true,
       .cost_fixed = std::chrono::microseconds(5),
       .cost_per_row = std::chrono::nanoseconds(300)},
      recommendation);
}

}  // namespace millrace::stores
