#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/pooled_allocator.h"
#include "base/result.h"
#include "rows/column.h"

namespace millrace::rows {

/// Position of a row in its batch.
using RowIndex = std::uint32_t;

/// The most rows a batch may have; a count of rows always fits RowIndex.
inline constexpr std::size_t kBatchRowsMax = std::size_t{1} << 31U;

/// The column every batch has: the identity of a row, int64, never null.
inline constexpr std::string_view kIdColumn = "id";

struct NamedColumn {
  std::string name;
  ColumnRef column;
};

/// In pooled memory, because most batches live for one request only.
using NamedColumns = base::PooledVector<NamedColumn>;

class Batch;
/// Owners: every RowSet over the batch.
using BatchRef = std::shared_ptr<const Batch>;

/// Named columns of one length, `id` among them, in a stated order.
/// Threading: any thread; immutable.
class Batch {
 public:
  /// Refuses a missing, null or non-int64 `id`, two columns of one name, and unequal lengths.
  [[nodiscard]] static base::Result<BatchRef> make(NamedColumns columns);

  [[nodiscard]] std::size_t row_count() const { return ids_.size(); }
  [[nodiscard]] std::span<const std::int64_t> ids() const { return ids_; }
  [[nodiscard]] std::span<const NamedColumn> columns() const { return columns_; }

  /// Gives the position in columns(), or nothing if no column has that name.
  [[nodiscard]] std::optional<std::size_t> find_index(std::string_view name) const;
  /// The column, or nullptr.
  [[nodiscard]] const Column* find_column(std::string_view name) const;
  /// The column, or an error at `where` with the nearest name as a hint.
  [[nodiscard]] base::Result<const Column*> get_column(std::string_view name,
                                                       std::string_view where) const;

  /// Gives a batch that shares all columns and has one more, or one replaced in its place. Refuses
  /// `id` and a column of another length.
  [[nodiscard]] base::Result<BatchRef> with_column(std::string_view name, ColumnRef column) const;
  /// Gives a batch with `id` and those of the named columns that exist, in this batch's order.
  [[nodiscard]] BatchRef with_only(std::span<const std::string_view> names) const;

 private:
  struct Parts;

 public:
  /// Only the makers can name `Parts`.
  explicit Batch(Parts parts);

 private:
  NamedColumns columns_;
  std::span<const std::int64_t> ids_;  // borrows from the id column in columns_
};

}  // namespace millrace::rows
