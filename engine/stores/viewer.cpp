#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "loop/task.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/value.h"
#include "stores/key_list.h"
#include "stores/request_key.h"
#include "stores/store_client.h"
#include "stores/store_task.h"
#include "stores/store_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/prepared_node.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::stores {
namespace {

struct ViewerParams {
  tasks::StoreEndpoint endpoint;
  tasks::KeyPatternParam pattern{.prefix = "user:", .places = {{.name = "user_id", .suffix = ""}}};
  RequestKey key;  // of the pattern

  static void describe(tasks::ParamsDescription<ViewerParams>& params) {
    params.required("endpoint", &ViewerParams::endpoint, "Store that has the profile");
    params.optional("pattern",
                    &ViewerParams::pattern,
                    "Key of the profile; names in it are fields of the request");
  }

  base::Status on_load(const plan::CompiledNode& node, const tasks::LoadContext& load) {
    MR_TRY(key, RequestKey::make(pattern, node, load));
    return {};
  }
};

/// Puts the values of the wanted fields side by side, as HMGET would.
StoreReply pick_fields(StoreReply reply,
                       const std::vector<plan::FetchedKey>& keys,
                       rows::RowScratch& scratch) {
  rows::Array<std::string_view> picked = scratch.make_array<std::string_view>(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    picked[i] = std::string_view{};
    for (std::size_t at = 0; at + 1 < reply.texts.size(); at += 2) {
      if (reply.texts[at] == keys[i].key) picked[i] = reply.texts[at + 1];
    }
  }
  reply.texts = std::move(picked);
  return reply;
}

base::Result<rows::RowSet> make_row(std::int64_t user_id, rows::RowScratch& scratch) {
  rows::Array<std::int64_t> ids = scratch.make_array<std::int64_t>(1);
  ids[0] = user_id;
  rows::NamedColumns columns;
  columns.reserve(1);
  columns.push_back(
      {.name = std::string(rows::kIdColumn), .column = rows::Column::make_int64(std::move(ids))});
  MR_TRY(rows::BatchRef batch, rows::Batch::make(std::move(columns)));
  return rows::RowSet(std::move(batch));
}

loop::Task<base::Result<rows::RowSet>> viewer(const ViewerParams* params,
                                              tasks::TaskContext context) {
  MR_CO_TRY(StoreClient * client, store_of(context, params->endpoint));
  MR_CO_TRY(KeyList key, params->key.key(params->pattern, context));
  CommandBatch batch{.command = StoreCommand::kHashGetAll, .keys = std::move(key)};
  MR_CO_TRY(StoreReply reply, co_await NodeFetch(*client, std::move(batch), context));
  MR_CO_TRY(rows::RowSet rows, make_row(context.request().user_id, context.scratch()));
  const std::vector<plan::FetchedKey>& keys = context.node().fetched_keys;
  if (keys.empty()) co_return std::move(rows);
  const StoreReply fields = pick_fields(std::move(reply), keys, context.scratch());
  const rows::RowIndex row = 0;
  co_return add_parsed_columns(rows, keys, fields, {&row, 1}, context);
}

}  // namespace

base::Status register_viewer(tasks::TaskRegistry& registry) {
  return tasks::register_task(
      registry,
      {.op = "viewer",
       .doc = "HGETALL of `user:{user_id}`: one row whose id is the user of the request, with the "
              "registered fields that something reads. A user without a profile is a row of nulls.",
       .kind = plan::TaskKind::kAsync,
       .columns = plan::OutputColumns::kSource,
       .rows = plan::OutputRows::kSource,
       .writes_on_demand = true,
       .prefix_param = "pattern",
       .can_fail = true,
       .cost_fixed = std::chrono::microseconds(5)},
      viewer);
}

}  // namespace millrace::stores
