#include <chrono>
#include <span>
#include <string>
#include <utility>

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

struct LookupParams {
  tasks::StoreEndpoint endpoint;
  std::string prefix;
  tasks::OutKeyParam<tasks::AnyValue> out_key;
  tasks::KeyParam<tasks::IntOrText> by{.name = "id"};
  tasks::KeyPatternParam pattern;  // of prefix and by
  plan::FetchedKey column;         // out_key, as a column

  static void describe(tasks::ParamsDescription<LookupParams>& params) {
    params.required("endpoint", &LookupParams::endpoint, "Store that has the strings");
    params.required("prefix", &LookupParams::prefix, "The key of a row is `prefix:{by}`");
    params.required("out_key", &LookupParams::out_key, "Key that gets the value");
    params.optional("by", &LookupParams::by, "Key whose value stands behind the prefix");
  }

  base::Status on_load(const plan::CompiledNode&) {
    pattern = {.prefix = prefix + ":", .places = {{.name = by.name, .suffix = ""}}};
    column = {.key = out_key.name, .type = out_key.type};
    return {};
  }
};

loop::Task<base::Result<rows::RowSet>> lookup(rows::RowSet rows,
                                              const LookupParams* params,
                                              tasks::TaskContext context) {
  return fetch_columns(std::move(rows),
                       {.endpoint = params->endpoint,
                        .pattern = &params->pattern,
                        .columns = std::span(&params->column, 1)},
                       context);
}

}  // namespace

base::Status register_lookup(tasks::TaskRegistry& registry) {
  return tasks::register_task(
      registry,
      {.op = "lookup",
       .doc = "Fetches the string `prefix:{id}` of each row into one column with one MGET. A "
              "missing one is null; so is a value that is not of the key's type, which counts as a "
              "row error.",
       .kind = plan::TaskKind::kAsync,
       .rows = plan::OutputRows::kSubset,
       .can_fail = true,
       .cost_fixed = std::chrono::microseconds(5),
       .cost_per_row = std::chrono::nanoseconds(200)},
      lookup);
}

}  // namespace millrace::stores
