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

struct SetMembersParams {
  tasks::StoreEndpoint endpoint;
  tasks::KeyPatternParam pattern;
  tasks::KeyMapParam carry;
  RequestKey request_key;  // of the pattern, for a node without inputs

  static void describe(tasks::ParamsDescription<SetMembersParams>& params) {
    params.required("endpoint", &SetMembersParams::endpoint, "Store that has the sets");
    params.required("pattern",
                    &SetMembersParams::pattern,
                    "Key of a row's set, as `tagged:{id}`; without an input, of the one that is "
                    "read, as `blocked` or `blocked:{user_id}`");
    params.optional("carry", &SetMembersParams::carry, kCarryDoc);
  }

  base::Status on_load(const plan::CompiledNode& node, const tasks::LoadContext& load) {
    MR_TRY(request_key, make_source_key(pattern, node, load));
    return {};
  }
};

loop::Task<base::Result<rows::RowSet>> set_members(std::optional<rows::RowSet> rows,
                                                   const SetMembersParams* params,
                                                   tasks::TaskContext context) {
  return fan_out(std::move(rows),
                 {.endpoint = params->endpoint,
                  .pattern = &params->pattern,
                  .request_key = &params->request_key,
                  .command = StoreCommand::kSetMembers,
                  .fanout = kFanoutMax},
                 context);
}

}  // namespace

base::Status register_set_members(tasks::TaskRegistry& registry) {
  return tasks::register_task(
      registry,
      {.op = "set_members",
       .doc = "SMEMBERS of the key that `pattern` gives for each row, all in one round trip: all "
              "ids in its set, by row, then by id. A set of more than 100000 members fails the "
              "node. Without an input it reads one set, and names in `pattern` are fields of the "
              "request.",
       .kind = plan::TaskKind::kAsync,
       .columns = plan::OutputColumns::kFanOut,
       .rows = plan::OutputRows::kOther,
       .can_fail = true,
       .cost_fixed = std::chrono::microseconds(5),
       .cost_per_row = std::chrono::nanoseconds(500)},
      &set_members);
}

}  // namespace millrace::stores
