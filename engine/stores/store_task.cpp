#include "stores/store_task.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "loop/task.h"
#include "plan/compiled_plan.h"
#include "plan/key_pattern.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/dictionary.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/select.h"
#include "rows/stop_check.h"
#include "stores/parse_value.h"
#include "stores/store_client.h"
#include "tasks/endpoint_client.h"
#include "tasks/task_context.h"

namespace millrace::stores {

using base::ErrorCode;
using base::fail;
using base::Result;
using rows::Array;
using rows::ColumnType;
using rows::RowIndex;

namespace {

/// One name of a key pattern: the column that has its values, and the text behind it.
struct KeyPart {
  const rows::Column* column = nullptr;
  std::span<const std::int64_t> numbers = {};  // unless the column is of strings
  std::string_view suffix = {};

  void append_to(KeyListBuilder& keys, RowIndex row) const {
    if (column->type() == ColumnType::kString) {
      keys.append(column->dictionary()->at(column->codes()[row]));
    } else {
      keys.append(numbers[row]);
    }
    keys.append(suffix);
  }
};

Result<KeyPart> make_key_part(const rows::RowSet& rows, const plan::KeyPattern::Place& place) {
  MR_TRY(const rows::Column* column, rows.batch()->get_column(place.name, "pattern"));
  if (column->type() == ColumnType::kString) {
    return KeyPart{.column = column, .suffix = place.suffix};
  }
  if (column->type() == ColumnType::kInt64) {
    return KeyPart{.column = column, .numbers = column->int64s(), .suffix = place.suffix};
  }
  return fail(ErrorCode::kInvalidPlan,
              "A key of a store is made of an int or a string, not of a " +
                  std::string(to_string(column->type())) + ": " + place.name,
              "pattern");
}

/// Calls `visit(row)` for each row of the set, in order.
template <class Visit>
void for_each_row(const rows::RowSet& rows, Visit visit) {
  if (rows.is_dense()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      visit(static_cast<RowIndex>(rows.first_row() + i));
    }
    return;
  }
  for (const RowIndex row : rows.indices()) visit(row);
}

/// A column under way.
template <class T>
struct NewColumn {
  Array<T> values;
  Array<std::uint8_t> valid;

  NewColumn(std::size_t row_count, rows::RowScratch& scratch)
      : values(scratch.make_array<T>(row_count)),
        valid(scratch.make_array<std::uint8_t>(row_count)) {}
};

/// Parses texts with `parse` into values at their rows; bytes say which rows have one. If a stop is
/// requested it ends early: whoever uses the column asks the check first.
template <class T, class Parse>
void scatter(const ColumnTexts& from, Parse parse, const rows::StopCheck& stop, NewColumn<T>& out) {
  auto& [values, valid] = out;
  std::ranges::fill(values.span(), T{});
  std::ranges::fill(valid.span(), std::uint8_t{0});
  rows::StopPacer pacer(stop);
  for (std::size_t i = 0; i < from.rows.size(); ++i) {
    if (!pacer.go_on(1)) return;
    const std::string_view text = from.texts[i * from.stride + from.offset];
    if (is_null(text)) continue;
    const auto value = parse(text, from.rows[i]);
    if (!value) continue;
    values[from.rows[i]] = static_cast<T>(*value);
    valid[from.rows[i]] = 1;
  }
}

/// Counts what a parser refuses.
template <class Parse>
auto counted(Parse parse, ParseErrors& errors) {
  return [parse, &errors](std::string_view text, RowIndex row) {
    const auto value = parse(text);
    if (!value) {
      ++errors.count;
      if (!errors.keep.empty()) errors.keep[row] = 0;
    }
    return value;
  };
}

}  // namespace

Result<StoreClient*> store_of(const tasks::TaskContext& context,
                              const tasks::StoreEndpoint& endpoint) {
  tasks::EndpointClient* client = context.find_client(endpoint.id);
  if (client == nullptr || client->client_kind() != tasks::ClientKind::kStore) {
    return fail(ErrorCode::kUnavailable,
                "The endpoint '" + endpoint.name +
                    "' has no store client in this environment; `rankd doctor` says why",
                context.node().id);
  }
  return static_cast<StoreClient*>(client);
}

Result<RowKeys> make_row_keys(const rows::RowSet& rows,
                              const tasks::KeyPatternParam& pattern,
                              rows::RowScratch& scratch) {
  std::vector<KeyPart> parts;
  parts.reserve(pattern.places.size());
  for (const plan::KeyPattern::Place& place : pattern.places) {
    MR_TRY(const KeyPart part, make_key_part(rows, place));
    parts.push_back(part);
  }
  RowKeys out{.keys = {}, .rows = scratch.make_array<RowIndex>(rows.size())};
  KeyListBuilder keys(scratch, pattern.prefix, "", rows.size());
  std::size_t count = 0;
  rows::StopPacer pacer(scratch.stop());
  for_each_row(rows, [&](RowIndex row) {
    if (!pacer.go_on(1)) return;
    for (const KeyPart& part : parts) {
      if (part.column->is_null(row)) return;
    }
    keys.begin_key();
    for (const KeyPart& part : parts) part.append_to(keys, row);
    keys.end_key();
    out.rows[count++] = row;
  });
  if (pacer.has_stopped()) return scratch.stop().stopped();
  out.rows.resize_within_capacity(count);
  out.keys = keys.finish();
  return out;
}

rows::ColumnRef parse_column(ColumnType type,
                             const ColumnTexts& texts,
                             rows::RowScratch& scratch,
                             ParseErrors& errors) {
  const rows::StopCheck& stop = scratch.stop();
  switch (type) {
    case ColumnType::kInt64: {
      NewColumn<std::int64_t> column(texts.batch_rows, scratch);
      scatter(texts, counted(parse_int64, errors), stop, column);
      return rows::Column::make_int64(std::move(column.values), std::move(column.valid));
    }
    case ColumnType::kFloat64: {
      NewColumn<double> column(texts.batch_rows, scratch);
      scatter(texts, counted(parse_float64, errors), stop, column);
      return rows::Column::make_float64(std::move(column.values), std::move(column.valid));
    }
    case ColumnType::kBool: {
      NewColumn<std::uint8_t> column(texts.batch_rows, scratch);
      scatter(texts, counted(parse_bool, errors), stop, column);
      return rows::Column::make_bool(std::move(column.values), std::move(column.valid));
    }
    case ColumnType::kString:
      break;
  }
  NewColumn<std::int32_t> column(texts.batch_rows, scratch);
  rows::DictionaryBuilder dictionary;
  std::int32_t known = 0;
  std::size_t text_bytes = 0;
  const auto code_of = [&](std::string_view text, RowIndex) {
    const std::int32_t code = dictionary.add(text);
    if (code >= known) text_bytes += text.size();
    known = std::max(known, code + 1);
    return std::optional<std::int32_t>(code);
  };
  scatter(texts, code_of, stop, column);
  scratch.count_bytes(text_bytes);
  return rows::Column::make_string(
      std::move(column.values), dictionary.finish(), std::move(column.valid));
}

ParseErrors begin_errors(std::size_t batch_rows, const tasks::TaskContext& context) {
  ParseErrors errors;
  if (context.eval_options().on_row_error == expr::OnRowError::kDrop) {
    errors.keep = context.scratch().make_array<std::uint8_t>(batch_rows);
    std::ranges::fill(errors.keep.span(), std::uint8_t{1});
  }
  return errors;
}

base::Status report_errors(std::size_t count,
                           const std::string& message,
                           const tasks::TaskContext& context) {
  if (count == 0) return {};
  if (context.eval_options().on_row_error == expr::OnRowError::kFail) {
    return fail(ErrorCode::kNodeFailed, message, context.node().id);
  }
  context.stats().row_errors += count;
  if (context.stats().first_row_error.empty()) context.stats().first_row_error = message;
  return {};
}

Result<rows::RowSet> drop_failed(rows::RowSet rows,
                                 const ParseErrors& errors,
                                 const tasks::TaskContext& context) {
  if (errors.count == 0 || errors.keep.empty()) return rows;
  Array<std::uint8_t> keep = context.scratch().make_array<std::uint8_t>(rows.size());
  std::size_t position = 0;
  for_each_row(rows, [&](RowIndex row) { keep[position++] = errors.keep[row]; });
  return rows::filter(rows, keep.span(), context.scratch());
}

namespace {

Result<rows::RowSet> add_columns(const rows::RowSet& rows,
                                 std::span<const plan::FetchedKey> keys,
                                 const StoreReply& reply,
                                 std::span<const RowIndex> key_rows,
                                 const tasks::TaskContext& context) {
  rows::BatchRef batch = rows.batch();
  ParseErrors errors = begin_errors(batch->row_count(), context);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t before = errors.count;
    const ColumnTexts texts{.texts = reply.texts.span(),
                            .stride = keys.size(),
                            .offset = i,
                            .rows = key_rows,
                            .batch_rows = batch->row_count()};
    MR_TRY_STATUS(context.scratch().stop().check());
    rows::ColumnRef column = parse_column(keys[i].type, texts, context.scratch(), errors);
    MR_TRY(batch, batch->with_column(keys[i].key, std::move(column)));
    MR_TRY_STATUS(report_errors(
        errors.count - before,
        "A fetched value is no " + std::string(to_string(keys[i].type)) + ": " + keys[i].key,
        context));
  }
  MR_TRY_STATUS(context.scratch().stop().check());
  return drop_failed(rows.with_batch(std::move(batch)), errors, context);
}

}  // namespace

Result<rows::RowSet> add_parsed_columns(const rows::RowSet& rows,
                                        std::span<const plan::FetchedKey> keys,
                                        const StoreReply& reply,
                                        std::span<const RowIndex> key_rows,
                                        const tasks::TaskContext& context) {
  const tasks::StopScope stop(context);
  return stop.end(add_columns(rows, keys, reply, key_rows, context));
}

loop::Task<Result<rows::RowSet>> fetch_columns(rows::RowSet rows,
                                               ColumnFetch what,
                                               tasks::TaskContext context) {
  if (what.columns.empty()) co_return std::move(rows);
  MR_CO_TRY(StoreClient * client, store_of(context, what.endpoint));
  const bool is_long = rows.size() * what.columns.size() > kLoopLookupsMax;
  const auto make_keys = [&](const tasks::TaskContext& here) {
    const tasks::StopScope stop(here);
    return stop.end(make_row_keys(rows, *what.pattern, here.scratch()));
  };
  Result<RowKeys> keys =
      is_long ? co_await tasks::run_on_worker(context, make_keys) : make_keys(context);
  if (!keys) co_return std::unexpected(std::move(keys).error());
  StoreReply reply;
  if (keys->keys.size() != 0) {
    CommandBatch batch{
        .command = what.command, .keys = std::move(keys->keys), .fields = what.fields};
    MR_CO_TRY(reply, co_await NodeFetch(*client, std::move(batch), context));
  }
  const auto make = [&](const tasks::TaskContext& here) {
    return add_parsed_columns(rows, what.columns, reply, keys->rows.span(), here);
  };
  co_return is_long ? co_await tasks::run_on_worker(context, make) : make(context);
}

}  // namespace millrace::stores
