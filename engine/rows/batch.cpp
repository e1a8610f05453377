#include "rows/batch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/did_you_mean.h"
#include "base/error.h"
#include "base/pooled_allocator.h"
#include "base/result.h"
#include "rows/column.h"

namespace millrace::rows {

using base::ErrorCode;
using base::fail;
using base::Result;

struct Batch::Parts {
  NamedColumns columns;
  std::span<const std::int64_t> ids;
};

namespace {

std::string place_of(std::string_view name) { return "columns." + std::string(name); }

Result<std::span<const std::int64_t>> find_ids(std::span<const NamedColumn> columns) {
  for (const NamedColumn& entry : columns) {
    if (entry.name != kIdColumn) continue;
    if (entry.column->type() != ColumnType::kInt64) {
      return fail(ErrorCode::kInvalidArgument,
                  "Column id must be int, not " + std::string(to_string(entry.column->type())),
                  place_of(kIdColumn));
    }
    if (entry.column->has_nulls()) {
      return fail(ErrorCode::kInvalidArgument, "Column id has a null", place_of(kIdColumn));
    }
    return entry.column->int64s();
  }
  return fail(ErrorCode::kInvalidArgument, "A batch needs a column id", "columns");
}

base::Status check_length(std::string_view name, const Column& column, std::size_t row_count) {
  if (column.size() == row_count) return {};
  return fail(ErrorCode::kInvalidArgument,
              "Column length differs from the batch: " + std::to_string(column.size()) +
                  " instead of " + std::to_string(row_count),
              place_of(name));
}

}  // namespace

Batch::Batch(Parts parts) : columns_(std::move(parts.columns)), ids_(parts.ids) {}

Result<BatchRef> Batch::make(NamedColumns columns) {
  MR_TRY(const std::span<const std::int64_t> ids, find_ids(columns));
  if (ids.size() > kBatchRowsMax) {
    return fail(ErrorCode::kResourceExhausted,
                "Too many rows for one batch: " + std::to_string(ids.size()),
                "columns");
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    MR_TRY_STATUS(check_length(columns[i].name, *columns[i].column, ids.size()));
    for (std::size_t j = 0; j < i; ++j) {
      if (columns[i].name == columns[j].name) {
        return fail(ErrorCode::kInvalidArgument,
                    "Two columns have the same name: " + columns[i].name,
                    place_of(columns[i].name));
      }
    }
  }
  return std::allocate_shared<Batch>(base::PooledAllocator<Batch>(),
                                     Parts{.columns = std::move(columns), .ids = ids});
}

std::optional<std::size_t> Batch::find_index(std::string_view name) const {
  for (std::size_t index = 0; index < columns_.size(); ++index) {
    if (columns_[index].name == name) return index;
  }
  return std::nullopt;
}

const Column* Batch::find_column(std::string_view name) const {
  const std::optional<std::size_t> index = find_index(name);
  return index ? columns_[*index].column.get() : nullptr;
}

Result<const Column*> Batch::get_column(std::string_view name, std::string_view where) const {
  if (const Column* column = find_column(name)) return column;
  std::vector<std::string_view> names;
  names.reserve(columns_.size());
  for (const NamedColumn& entry : columns_) names.emplace_back(entry.name);
  return fail(ErrorCode::kNotFound,
              "No such column: " + std::string(name) + base::did_you_mean(name, names),
              std::string(where));
}

Result<BatchRef> Batch::with_column(std::string_view name, ColumnRef column) const {
  if (name == kIdColumn) {
    return fail(ErrorCode::kInvalidArgument, "Column id cannot be written", place_of(name));
  }
  MR_TRY_STATUS(check_length(name, *column, row_count()));
  NamedColumns columns;
  columns.reserve(columns_.size() + 1);
  columns = columns_;
  if (const std::optional<std::size_t> index = find_index(name)) {
    columns[*index].column = std::move(column);
  } else {
    columns.push_back({.name = std::string(name), .column = std::move(column)});
  }
  return std::allocate_shared<Batch>(base::PooledAllocator<Batch>(),
                                     Parts{.columns = std::move(columns), .ids = ids_});
}

BatchRef Batch::with_only(std::span<const std::string_view> names) const {
  NamedColumns columns;
  columns.reserve(columns_.size());
  for (const NamedColumn& entry : columns_) {
    const bool wanted = std::find(names.begin(), names.end(), entry.name) != names.end();
    if (wanted || entry.name == kIdColumn) columns.push_back(entry);
  }
  return std::allocate_shared<Batch>(base::PooledAllocator<Batch>(),
                                     Parts{.columns = std::move(columns), .ids = ids_});
}

}  // namespace millrace::rows
