#pragma once

// Tables held row by row, on which the naive versions of operators work.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/column_builder.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/value.h"

namespace millrace::rows::testing {

/// A value that owns its text. Two NaN are equal; zeros of different sign are not.
struct Cell {
  std::variant<std::monostate, std::int64_t, double, bool, std::string> value;

  Cell() = default;
  Cell(std::int64_t v) : value(v) {}              // NOLINT(google-explicit-constructor)
  Cell(int v) : value(std::int64_t{v}) {}         // NOLINT(google-explicit-constructor)
  Cell(double v) : value(v) {}                    // NOLINT(google-explicit-constructor)
  Cell(bool v) : value(v) {}                      // NOLINT(google-explicit-constructor)
  Cell(const char* v) : value(std::string(v)) {}  // NOLINT(google-explicit-constructor)
  Cell(std::string v) : value(std::move(v)) {}    // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool is_null() const { return value.index() == 0; }
  [[nodiscard]] std::int64_t as_int() const { return std::get<std::int64_t>(value); }
  [[nodiscard]] double as_float() const { return std::get<double>(value); }

  friend bool operator==(const Cell& left, const Cell& right) {
    if (left.value.index() != right.value.index()) return false;
    if (const double* number = std::get_if<double>(&left.value)) {
      if (std::isnan(*number)) return std::isnan(right.as_float());
      return std::bit_cast<std::uint64_t>(*number) ==
             std::bit_cast<std::uint64_t>(right.as_float());
    }
    return left.value == right.value;
  }
  friend std::ostream& operator<<(std::ostream& out, const Cell& cell) {
    std::visit(
        [&out](const auto& v) {
          if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>) {
            out << "null";
          } else {
            out << v;
          }
        },
        cell.value);
    return out;
  }
};

inline const Cell kNull{};
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Row = std::vector<Cell>;

/// Named, typed columns held row by row.
struct Table {
  std::vector<std::string> names;
  std::vector<ColumnType> types;
  std::vector<Row> rows;

  [[nodiscard]] std::size_t column_index(std::string_view name) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return i;
    }
    MR_CHECK(false, name);
    return 0;
  }
  [[nodiscard]] bool has(std::string_view name) const {
    for (const std::string& known : names) {
      if (known == name) return true;
    }
    return false;
  }
  [[nodiscard]] std::vector<Cell> column(std::string_view name) const {
    std::vector<Cell> cells;
    const std::size_t index = column_index(name);
    for (const Row& row : rows) cells.push_back(row[index]);
    return cells;
  }
  /// The same columns with other rows.
  [[nodiscard]] Table with_rows(std::vector<Row> other) const {
    return {names, types, std::move(other)};
  }

  friend bool operator==(const Table&, const Table&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Table& table) {
    for (const std::string& name : table.names) out << name << ' ';
    for (const Row& row : table.rows) {
      out << "\n  ";
      for (const Cell& cell : row) out << cell << ' ';
    }
    return out;
  }
};

inline ColumnRef to_column(ColumnType type, const std::vector<Cell>& cells, RowScratch& scratch) {
  const auto fill = [&cells](auto builder, auto get) {
    for (const Cell& cell : cells) {
      if (cell.is_null()) {
        builder.append_null();
      } else {
        builder.append(get(cell));
      }
    }
    return builder.finish();
  };
  switch (type) {
    case ColumnType::kInt64:
      return fill(Int64ColumnBuilder(scratch), [](const Cell& cell) { return cell.as_int(); });
    case ColumnType::kFloat64:
      return fill(Float64ColumnBuilder(scratch), [](const Cell& cell) { return cell.as_float(); });
    case ColumnType::kBool:
      return fill(BoolColumnBuilder(scratch), [](const Cell& cell) {
        return static_cast<std::uint8_t>(std::get<bool>(cell.value) ? 1 : 0);
      });
    case ColumnType::kString:
      return fill(StringColumnBuilder(scratch), [](const Cell& cell) {
        return std::string_view(std::get<std::string>(cell.value));
      });
  }
  return nullptr;
}

inline RowSet to_rows(const Table& table, RowScratch& scratch) {
  NamedColumns columns;
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    columns.push_back({.name = table.names[i],
                       .column = to_column(table.types[i], table.column(table.names[i]), scratch)});
  }
  return RowSet(Batch::make(std::move(columns)).value());
}

inline Cell to_cell(const Value& value) {
  return std::visit(
      [](auto v) -> Cell {
        if constexpr (std::is_same_v<decltype(v), std::monostate>) {
          return {};
        } else if constexpr (std::is_same_v<decltype(v), std::string_view>) {
          return {std::string(v)};
        } else {
          return {v};
        }
      },
      value);
}

inline Table to_table(const RowSet& rows) {
  Table table;
  for (const NamedColumn& entry : rows.batch()->columns()) {
    table.names.push_back(entry.name);
    table.types.push_back(entry.column->type());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row row;
    for (const NamedColumn& entry : rows.batch()->columns()) {
      row.push_back(to_cell(entry.column->value_at(rows.row_at(i))));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

inline std::vector<std::int64_t> ids_of(const RowSet& rows) {
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < rows.size(); ++i) ids.push_back(rows.batch()->ids()[rows.row_at(i)]);
  return ids;
}

/// Rows 1..count with nothing but their id.
inline RowSet numbered(std::int64_t count, RowScratch& scratch) {
  Table table{.names = {"id"}, .types = {ColumnType::kInt64}, .rows = {}};
  for (std::int64_t i = 1; i <= count; ++i) table.rows.push_back({i});
  return to_rows(table, scratch);
}

/// Rows 1, 2, … with the column `key`.
inline RowSet make_rows(ColumnType type, const std::vector<Cell>& cells, RowScratch& scratch) {
  Table table{.names = {"id", "key"}, .types = {ColumnType::kInt64, type}, .rows = {}};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    table.rows.push_back({static_cast<std::int64_t>(i + 1), cells[i]});
  }
  return to_rows(table, scratch);
}

}  // namespace millrace::rows::testing
