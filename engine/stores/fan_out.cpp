#include "stores/fan_out.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
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
#include "rows/column_builder.h"
#include "rows/gather.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/stop_check.h"
#include "stores/request_key.h"
#include "stores/store_client.h"
#include "stores/store_task.h"
#include "tasks/task_context.h"

namespace millrace::stores {

using base::Result;
using base::Status;
using rows::RowIndex;

namespace {

constexpr std::string_view kParentColumn = "parent_id";

/// For each item of the reply, the row of the batch whose list it stands in.
Result<rows::Array<RowIndex>> parents_of(const StoreReply& reply,
                                         std::span<const RowIndex> key_rows,
                                         rows::RowScratch& scratch) {
  rows::Array<RowIndex> parents = scratch.make_array<RowIndex>(reply.integers.size());
  rows::StopPacer pacer(scratch.stop());
  std::size_t item = 0;
  for (std::size_t key = 0; key < key_rows.size(); ++key) {
    if (!pacer.go_on(1 + reply.ends[key] - item)) return scratch.stop().stopped();
    for (; item < reply.ends[key]; ++item) parents[item] = key_rows[key];
  }
  return parents;
}

/// For each item of the reply, the id of the row whose list it stands in.
Result<rows::Array<std::int64_t>> parent_ids_of(const StoreReply& reply,
                                                std::span<const RowIndex> key_rows,
                                                std::span<const std::int64_t> ids,
                                                rows::RowScratch& scratch) {
  rows::Array<std::int64_t> parents = scratch.make_array<std::int64_t>(reply.integers.size());
  rows::StopPacer pacer(scratch.stop());
  std::size_t item = 0;
  for (std::size_t key = 0; key < key_rows.size(); ++key) {
    if (!pacer.go_on(1 + reply.ends[key] - item)) return scratch.stop().stopped();
    const std::int64_t id = ids[key_rows[key]];
    for (; item < reply.ends[key]; ++item) parents[item] = id;
  }
  return parents;
}

/// Gives the members of each set by id: stores have them in no order.
Status order_members(StoreReply& reply, const rows::StopCheck& stop) {
  for (std::size_t key = 0; key < reply.ends.size(); ++key) {
    MR_TRY_STATUS(stop.check());
    const std::span<std::int64_t> members(reply.integers.data() + reply.begin_of(key),
                                          reply.ends[key] - reply.begin_of(key));
    if (!std::ranges::is_sorted(members)) std::ranges::sort(members);
  }
  return {};
}

/// Makes a column of scores; those that are not finite are null and counted.
rows::ColumnRef make_scores(const StoreReply& reply,
                            rows::RowScratch& scratch,
                            ParseErrors& errors) {
  rows::Float64ColumnBuilder scores(scratch, reply.integers.size());
  for (std::size_t row = 0; row < reply.integers.size(); ++row) {
    if (std::isfinite(reply.scores[row])) {
      scores.append(reply.scores[row]);
      continue;
    }
    scores.append_null();
    ++errors.count;
    if (!errors.keep.empty()) errors.keep[row] = 0;
  }
  return scores.finish();
}

/// What the rows come from; `rows` is nullptr for a node without inputs.
struct Parents {
  const rows::RowSet* rows = nullptr;
  std::span<const RowIndex> key_rows;
};

/// Adds `parent_id` and the columns that are taken along.
Status add_parent_columns(rows::NamedColumns& columns,
                          const Parents& from,
                          const StoreReply& reply,
                          const tasks::TaskContext& context) {
  rows::RowScratch& scratch = context.scratch();
  const std::vector<plan::KeyMove>& taken = context.node().taken_columns;
  MR_TRY(rows::Array<std::int64_t> parent_ids,
         parent_ids_of(reply, from.key_rows, from.rows->batch()->ids(), scratch));
  columns.push_back({.name = std::string(kParentColumn),
                     .column = rows::Column::make_int64(std::move(parent_ids))});
  if (taken.empty()) return {};
  MR_TRY(const rows::Array<RowIndex> parents, parents_of(reply, from.key_rows, scratch));
  for (const plan::KeyMove& move : taken) {
    MR_TRY(const rows::Column* column,
           from.rows->batch()->get_column(move.from, context.node().id));
    MR_TRY(rows::ColumnRef gathered, rows::gather(*column, parents.span(), scratch));
    columns.push_back({.name = move.to, .column = std::move(gathered)});
  }
  return {};
}

Result<rows::RowSet> make_rows(const Parents& from,
                               const FanOut& what,
                               StoreReply reply,
                               const tasks::TaskContext& context) {
  rows::RowScratch& scratch = context.scratch();
  MR_TRY_STATUS(scratch.stop().check_rows(reply.integers.size()));
  MR_TRY_STATUS(scratch.stop().check());
  if (what.command == StoreCommand::kSetMembers) {
    MR_TRY_STATUS(order_members(reply, scratch.stop()));
  }
  rows::NamedColumns columns;
  columns.reserve(3 + context.node().taken_columns.size());
  columns.emplace_back();  // the ids, once nothing else needs them
  if (from.rows != nullptr) MR_TRY_STATUS(add_parent_columns(columns, from, reply, context));
  ParseErrors errors;
  if (what.score_key != nullptr) {
    errors = begin_errors(reply.integers.size(), context);
    columns.push_back(
        {.name = what.score_key->name, .column = make_scores(reply, scratch, errors)});
    MR_TRY_STATUS(
        report_errors(errors.count, "A score is not finite: " + what.score_key->name, context));
  }
  columns.front() = {.name = std::string(rows::kIdColumn),
                     .column = rows::Column::make_int64(std::move(reply.integers))};
  MR_TRY(rows::BatchRef batch, rows::Batch::make(std::move(columns)));
  return drop_failed(rows::RowSet(std::move(batch)), errors, context);
}

Result<RowKeys> make_keys_of(const std::optional<rows::RowSet>& rows,
                             const FanOut& what,
                             const tasks::TaskContext& context) {
  const tasks::StopScope stop(context);
  if (rows) return make_row_keys(*rows, *what.pattern, context.scratch());
  MR_TRY(KeyList key, what.request_key->key(*what.pattern, context));
  return RowKeys{.keys = std::move(key), .rows = {}};
}

}  // namespace

Result<RequestKey> make_source_key(const tasks::KeyPatternParam& pattern,
                                   const plan::CompiledNode& node,
                                   const tasks::LoadContext& load) {
  if (!node.inputs.empty()) return RequestKey();
  return RequestKey::make(pattern, node, load);
}

loop::Task<Result<rows::RowSet>> fan_out(std::optional<rows::RowSet> rows,
                                         FanOut what,
                                         tasks::TaskContext context) {
  MR_CO_TRY(StoreClient * client, store_of(context, what.endpoint));
  const auto make_keys = [&](const tasks::TaskContext& here) {
    return make_keys_of(rows, what, here);
  };
  Result<RowKeys> keys = rows && rows->size() > kLoopLookupsMax
                             ? co_await tasks::run_on_worker(context, make_keys)
                             : make_keys(context);
  if (!keys) co_return std::unexpected(std::move(keys).error());
  StoreReply reply;
  if (keys->keys.size() != 0) {
    CommandBatch batch{.command = what.command,
                       .keys = std::move(keys->keys),
                       .count = what.fanout,
                       .form = ValueForm::kInt64,
                       .reversed = what.reversed,
                       .with_scores = what.score_key != nullptr};
    MR_CO_TRY(reply, co_await NodeFetch(*client, std::move(batch), context));
  }
  const bool is_long = reply.integers.size() > kLoopWorkMax;
  const Parents from{.rows = rows ? &*rows : nullptr, .key_rows = keys->rows.span()};
  const auto make = [&](const tasks::TaskContext& here) {
    const tasks::StopScope stop(here);
    return stop.end(make_rows(from, what, std::move(reply), here));
  };
  co_return is_long ? co_await tasks::run_on_worker(context, make) : make(context);
}

}  // namespace millrace::stores
