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

struct FollowParams {
  tasks::StoreEndpoint endpoint;
  tasks::KeyPatternParam pattern{.prefix = "follow:", .name = "id", .suffix = ""};
  std::int64_t fanout = kFanoutDefault;
  tasks::KeyMapParam carry;

  static void describe(tasks::ParamsDescription<FollowParams>& params) {
    params.required("endpoint", &FollowParams::endpoint, "Store that has the lists");
    params.optional("pattern", &FollowParams::pattern, "Key of a row's list");
    params.optional("fanout",
                    &FollowParams::fanout,
                    "How many items of a list are taken, from its start",
                    {.minimum = 1, .maximum = static_cast<double>(kFanoutMax)});
    params.optional("carry", &FollowParams::carry, kCarryDoc);
  }
};

loop::Task<base::Result<rows::RowSet>> follow(rows::RowSet rows,
                                              const FollowParams* params,
                                              tasks::TaskContext context) {
  return fan_out(
      std::move(rows),
      {.endpoint = params->endpoint, .pattern = &params->pattern, .fanout = params->fanout},
      context);
}

}  // namespace

base::Status register_follow(tasks::TaskRegistry& registry) {
  return tasks::register_task(
      registry,
      {.op = "follow",
       .doc = "LRANGE of `follow:{id}` for each row, all in one round trip: the users that it "
              "follows, by row, then by place in the list.",
       .kind = plan::TaskKind::kAsync,
       .columns = plan::OutputColumns::kFanOut,
       .rows = plan::OutputRows::kOther,
       .can_fail = true,
       .cost_fixed = std::chrono::microseconds(5),
       .cost_per_row = std::chrono::nanoseconds(300)},
      follow);
}

}  // namespace millrace::stores
