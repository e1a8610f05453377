#include "stores/fan_out.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "loop/task.h"
#include "plan/param_value.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/gather.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "stores/store_client.h"
#include "stores/store_task.h"
#include "tasks/task_context.h"

namespace millrace::stores {

using base::Result;
using rows::RowIndex;

namespace {

constexpr std::string_view kParentColumn = "parent_id";

/// For each item of the reply, the row of the batch whose list it stands in.
rows::Array<RowIndex> parents_of(const StoreReply& reply,
                                 std::span<const RowIndex> key_rows,
                                 rows::RowScratch& scratch) {
  rows::Array<RowIndex> parents = scratch.make_array<RowIndex>(reply.integers.size());
  std::size_t item = 0;
  for (std::size_t key = 0; key < key_rows.size(); ++key) {
    for (; item < reply.ends[key]; ++item) parents[item] = key_rows[key];
  }
  return parents;
}

/// For each item of the reply, the id of the row whose list it stands in.
rows::Array<std::int64_t> parent_ids_of(const StoreReply& reply,
                                        std::span<const RowIndex> key_rows,
                                        std::span<const std::int64_t> ids,
                                        rows::RowScratch& scratch) {
  rows::Array<std::int64_t> parents = scratch.make_array<std::int64_t>(reply.integers.size());
  std::size_t item = 0;
  for (std::size_t key = 0; key < key_rows.size(); ++key) {
    const std::int64_t id = ids[key_rows[key]];
    for (; item < reply.ends[key]; ++item) parents[item] = id;
  }
  return parents;
}

Result<rows::RowSet> make_rows(const rows::RowSet& rows,
                               StoreReply reply,
                               std::span<const RowIndex> key_rows,
                               const tasks::TaskContext& context) {
  rows::RowScratch& scratch = context.scratch();
  MR_TRY_STATUS(scratch.stop().check_rows(reply.integers.size()));
  MR_TRY_STATUS(scratch.stop().check());
  const std::vector<plan::KeyMove>& taken = context.node().taken_columns;
  rows::NamedColumns columns;
  columns.reserve(2 + taken.size());
  rows::ColumnRef parent_ids =
      rows::Column::make_int64(parent_ids_of(reply, key_rows, rows.batch()->ids(), scratch));
  rows::Array<RowIndex> parents;
  if (!taken.empty()) parents = parents_of(reply, key_rows, scratch);
  columns.push_back({.name = std::string(rows::kIdColumn),
                     .column = rows::Column::make_int64(std::move(reply.integers))});
  columns.push_back({.name = std::string(kParentColumn), .column = std::move(parent_ids)});
  for (const plan::KeyMove& move : taken) {
    MR_TRY(const rows::Column* column, rows.batch()->get_column(move.from, context.node().id));
    MR_TRY(rows::ColumnRef gathered, rows::gather(*column, parents.span(), scratch));
    columns.push_back({.name = move.to, .column = std::move(gathered)});
  }
  MR_TRY(rows::BatchRef batch, rows::Batch::make(std::move(columns)));
  return rows::RowSet(std::move(batch));
}

}  // namespace

loop::Task<Result<rows::RowSet>> fan_out(rows::RowSet rows,
                                         FanOut what,
                                         tasks::TaskContext context) {
  MR_CO_TRY(StoreClient * client, store_of(context, what.endpoint));
  MR_CO_TRY(RowKeys keys, make_row_keys(rows, *what.pattern, context.scratch()));
  StoreReply reply;
  if (keys.keys.size() != 0) {
    CommandBatch batch{.command = StoreCommand::kListRange,
                       .keys = std::move(keys.keys),
                       .count = what.fanout,
                       .form = ValueForm::kInt64};
    MR_CO_TRY(reply, co_await NodeFetch(*client, std::move(batch), context));
  }
  const tasks::StopScope stop(context);
  co_return stop.end(make_rows(rows, std::move(reply), keys.rows.span(), context));
}

}  // namespace millrace::stores
