#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/column_builder.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/value.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/request_candidates.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

struct CandidatesParams {
  std::optional<KeyListParam<AnyValue>> keys;

  static void describe(ParamsDescription<CandidatesParams>& params) {
    params.optional("keys",
                    &CandidatesParams::keys,
                    "Keys to take from the request; by default those that something downstream "
                    "reads and plans may not write");
  }
};

/// Appends a value that is known to be of the column's type; an int is a float too.
void append_given(rows::Int64ColumnBuilder& column, const rows::Value& value) {
  column.append(std::get<std::int64_t>(value));
}
void append_given(rows::Float64ColumnBuilder& column, const rows::Value& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  column.append(whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value));
}
void append_given(rows::BoolColumnBuilder& column, const rows::Value& value) {
  column.append(std::get<bool>(value) ? 1 : 0);
}
void append_given(rows::StringColumnBuilder& column, const rows::Value& value) {
  column.append(std::get<std::string_view>(value));
}

template <class Builder>
rows::ColumnRef build_given(const RequestCandidates::Given* given,
                            std::size_t row_count,
                            rows::RowScratch& scratch) {
  Builder column(scratch, row_count);
  const auto fill = [&](std::size_t end) {
    while (column.size() < end) column.append_null();
  };
  if (given != nullptr) {
    for (const RequestCandidates::Entry& entry : given->entries) {
      if (std::holds_alternative<std::monostate>(entry.value)) continue;
      fill(entry.row);
      append_given(column, entry.value);
    }
  }
  fill(row_count);
  return column.finish();
}

rows::ColumnRef make_given(const RequestCandidates& candidates,
                           const plan::FetchedKey& key,
                           rows::RowScratch& scratch) {
  const RequestCandidates::Given* given = candidates.find(key.key);
  const std::size_t row_count = candidates.ids().size();
  switch (key.type) {
    case rows::ColumnType::kInt64:
      return build_given<rows::Int64ColumnBuilder>(given, row_count, scratch);
    case rows::ColumnType::kFloat64:
      return build_given<rows::Float64ColumnBuilder>(given, row_count, scratch);
    case rows::ColumnType::kBool:
      return build_given<rows::BoolColumnBuilder>(given, row_count, scratch);
    case rows::ColumnType::kString:
      break;
  }
  return build_given<rows::StringColumnBuilder>(given, row_count, scratch);
}

base::Result<rows::RowSet> candidates(const CandidatesParams& /*params*/, TaskContext& context) {
  const RequestCandidates* given = context.request().candidates;
  if (given == nullptr) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "The request has no `candidates`, which are the rows of this node; an empty "
                      "array stands for none",
                      context.node().id);
  }
  rows::Array<std::int64_t> ids = context.scratch().make_array<std::int64_t>(given->ids().size());
  std::ranges::copy(given->ids(), ids.data());
  rows::NamedColumns columns;
  columns.push_back(
      {.name = std::string(rows::kIdColumn), .column = rows::Column::make_int64(std::move(ids))});
  for (const plan::FetchedKey& key : context.node().fetched_keys) {
    MR_TRY_STATUS(context.check_stop());
    columns.push_back({.name = key.key, .column = make_given(*given, key, context.scratch())});
  }
  MR_TRY(rows::BatchRef batch, rows::Batch::make(std::move(columns)));
  return rows::RowSet(std::move(batch));
}

}  // namespace

base::Status register_candidates(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "candidates",
       .doc = "Gives the rows that the request brings along in `candidates`, in that order, with "
              "the keys given there; a key that a candidate lacks is null. Needs no data store. "
              "Fails if the request has no `candidates`.",
       .kind = plan::TaskKind::kCheap,
       .columns = plan::OutputColumns::kSource,
       .rows = plan::OutputRows::kSource,
       .writes_on_demand = true,
       .keys_param = "keys",
       .can_fail = true,
       .cost_fixed = std::chrono::microseconds(5)},
      candidates);
}

}  // namespace millrace::tasks
