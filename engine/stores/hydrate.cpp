#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "loop/task.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "stores/store_client.h"
#include "stores/store_task.h"
#include "stores/store_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::stores {
namespace {

struct HydrateParams {
  tasks::StoreEndpoint endpoint;
  std::string prefix;
  tasks::KeyParam<tasks::IntOrText> by{.name = "id"};
  std::optional<tasks::KeyListParam<tasks::AnyValue>> keys;
  tasks::KeyPatternParam pattern;   // of prefix and by
  std::vector<std::string> fields;  // that something reads

  static void describe(tasks::ParamsDescription<HydrateParams>& params) {
    params.required("endpoint", &HydrateParams::endpoint, "Store that has the hashes");
    params.required("prefix", &HydrateParams::prefix, "The key of a row is `prefix:{by}`");
    params.optional("by", &HydrateParams::by, "Key whose value stands behind the prefix");
    params.optional("keys",
                    &HydrateParams::keys,
                    "Keys to fetch; by default those that something downstream reads");
  }

  base::Status on_load(const plan::CompiledNode& node) {
    pattern = {.prefix = prefix + ":", .places = {{.name = by.name, .suffix = ""}}};
    for (const plan::FetchedKey& key : node.fetched_keys) fields.push_back(key.key);
    return {};
  }
};

loop::Task<base::Result<rows::RowSet>> hydrate(rows::RowSet rows,
                                               const HydrateParams* params,
                                               tasks::TaskContext context) {
  return fetch_columns(std::move(rows),
                       {.endpoint = params->endpoint,
                        .pattern = &params->pattern,
                        .command = StoreCommand::kHashGet,
                        .fields = params->fields,
                        .columns = context.node().fetched_keys},
                       context);
}

}  // namespace

base::Status register_hydrate(tasks::TaskRegistry& registry) {
  return tasks::register_task(
      registry,
      {.op = "hydrate",
       .doc = "Fetches fields of the hash `prefix:{id}` of each row into columns, all in one round "
              "trip, and only keys that something downstream reads (HMGET). A missing hash or "
              "field is null; so is a value that is not of the key's type, which counts as a row "
              "error.",
       .kind = plan::TaskKind::kAsync,
       .rows = plan::OutputRows::kSubset,
       .writes_on_demand = true,
       .keys_param = "keys",
       .prefix_param = "prefix",
       .can_fail = true,
       .cost_fixed = std::chrono::microseconds(5),
       .cost_per_row = std::chrono::nanoseconds(300)},
      hydrate);
}

}  // namespace millrace::stores
