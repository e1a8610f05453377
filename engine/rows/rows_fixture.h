#pragma once

// Row-at-a-time tables and random row sets: what the naive versions of operators work on, and what
// property tests feed them.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <rapidcheck.h>

#include "base/check.h"
#include "base/random.h"
#include "gtest/gtest.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/column_builder.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/sort_key.h"

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
  std::vector<NamedColumn> columns;
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

/// Makes cells that are likely to collide and to sit on the edges of their type.
class CellMaker {
 public:
  /// `null_chance` is drawn once, so that some columns have no null and some nothing else.
  CellMaker(base::Random& random, ColumnType type, std::size_t distinct_max)
      : random_(random), type_(type), distinct_max_(distinct_max) {
    constexpr double kChances[] = {0.0, 0.0, 0.2, 0.9, 1.0};
    null_chance_ = kChances[random.below(std::size(kChances))];
  }

  [[nodiscard]] Cell make() { return random_.chance(null_chance_) ? Cell() : make_value(); }
  [[nodiscard]] Cell make_value() {
    switch (type_) {
      case ColumnType::kInt64:
        return make_int();
      case ColumnType::kFloat64:
        return make_float();
      case ColumnType::kBool:
        return random_.chance(0.5);
      case ColumnType::kString:
        return make_string();
    }
    return {};
  }

 private:
  Cell make_int() {
    constexpr std::int64_t kEdges[] = {std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::min() + 1,
                                       std::numeric_limits<std::int64_t>::max(),
                                       (std::int64_t{1} << 53U) + 1,
                                       -1,
                                       0};
    if (random_.chance(0.1)) return kEdges[random_.below(std::size(kEdges))];
    return static_cast<std::int64_t>(random_.below(distinct_max_)) - 3;
  }
  Cell make_float() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kEdges[] = {kInfinity,
                                 -kInfinity,
                                 std::numeric_limits<double>::quiet_NaN(),
                                 -0.0,
                                 0.0,
                                 std::numeric_limits<double>::denorm_min(),
                                 std::numeric_limits<double>::max()};
    if (random_.chance(0.15)) return kEdges[random_.below(std::size(kEdges))];
    return static_cast<double>(random_.below(distinct_max_)) / 4 - 1;
  }
  Cell make_string() {
    const std::uint64_t number = random_.below(distinct_max_);
    if (number == 0) return "";
    return std::string(number % 3, 'a') + std::to_string(number * 0x9E3779B97F4A7C15U % 1000);
  }

  base::Random& random_;
  ColumnType type_;
  std::size_t distinct_max_;
  double null_chance_ = 0;
};

/// A table with `id` and columns `i`, `f`, `b`, `s` of the four types, and `g`, a string column
/// with few values. Ids may repeat.
inline Table random_table(base::Random& random, std::size_t row_count) {
  const std::size_t distinct_max = random.chance(0.5) ? 5 : 1000;
  Table table{.names = {"id", "i", "f", "b", "s", "g"},
              .types = {ColumnType::kInt64,
                        ColumnType::kInt64,
                        ColumnType::kFloat64,
                        ColumnType::kBool,
                        ColumnType::kString,
                        ColumnType::kString},
              .rows = {}};
  CellMaker id(random, ColumnType::kInt64, random.chance(0.3) ? 10 : 1'000'000);
  CellMaker i(random, ColumnType::kInt64, distinct_max);
  CellMaker f(random, ColumnType::kFloat64, distinct_max);
  CellMaker b(random, ColumnType::kBool, 2);
  CellMaker s(random, ColumnType::kString, distinct_max);
  CellMaker g(random, ColumnType::kString, 4);
  for (std::size_t row = 0; row < row_count; ++row) {
    table.rows.push_back({id.make_value(), i.make(), f.make(), b.make(), s.make(), g.make()});
  }
  return table;
}

/// Gives the rows a random window, selection or order, or leaves them whole.
inline RowSet random_view(const RowSet& rows, base::Random& random, RowScratch& scratch) {
  const std::size_t count = rows.size();
  switch (random.below(4)) {
    case 0:
      return rows;
    case 1:
      return rows.window(random.below(count + 1), random.below(count + 1));
    default:
      break;
  }
  std::vector<RowIndex> picked;
  for (std::size_t i = 0; i < count; ++i) {
    if (random.chance(0.7)) picked.push_back(static_cast<RowIndex>(i));
  }
  if (random.chance(0.5)) {
    for (std::size_t i = picked.size(); i > 1; --i)
      std::swap(picked[i - 1], picked[random.below(i)]);
  }
  Array<RowIndex> index = scratch.make_array<RowIndex>(picked.size());
  for (std::size_t i = 0; i < picked.size(); ++i) index[i] = picked[i];
  const RowSet view(rows.batch(), std::move(index));
  return random.chance(0.3) ? view.window(random.below(picked.size() + 1), picked.size()) : view;
}

/// Random rows of `random_table` seen through a random view; sizes 0 and 1 are frequent. Sometimes
/// string columns use a dictionary with far more values than the batch has rows.
inline RowSet random_rows(base::Random& random, std::size_t row_count, RowScratch& scratch) {
  RowSet rows = to_rows(random_table(random, row_count), scratch);
  if (random.chance(0.2)) {
    DictionaryBuilder dictionary;
    for (int i = 0; i < 3000; ++i)
      static_cast<void>(dictionary.add("word" + std::to_string(i * 7919 % 3000)));
    Array<std::int32_t> codes = scratch.make_array<std::int32_t>(row_count);
    for (std::int32_t& code : codes.span()) code = static_cast<std::int32_t>(random.below(3000));
    ColumnRef huge = Column::make_string(std::move(codes), dictionary.finish());
    rows = RowSet(rows.batch()->with_column("s", std::move(huge)).value());
  }
  return random_view(rows, random, scratch);
}

/// One to three sort keys among the columns of `random_table`.
inline std::vector<SortKey> random_sort_keys(base::Random& random) {
  const std::vector<std::string> names = {"i", "f", "b", "s", "g", "id"};
  std::vector<SortKey> keys(1 + random.below(3));
  for (SortKey& key : keys) {
    key.column = names[random.below(names.size())];
    key.direction = random.chance(0.5) ? Direction::kAscending : Direction::kDescending;
  }
  return keys;
}

/// Says which cell a sort puts first, straight from the definition: -1, 0 or 1.
inline int compare_for_sort(const Cell& left, const Cell& right, Direction direction) {
  const auto absent = [](const Cell& cell) {
    const double* number = std::get_if<double>(&cell.value);
    return cell.is_null() || (number != nullptr && std::isnan(*number));
  };
  if (absent(left) || absent(right)) return (absent(left) ? 1 : 0) - (absent(right) ? 1 : 0);
  const int order = left.value < right.value ? -1 : (right.value < left.value ? 1 : 0);
  return direction == Direction::kAscending ? order : -order;
}

/// Says whether two cells are one key, straight from the definition.
inline bool same_key(const Cell& left, const Cell& right) {
  const double* number = std::get_if<double>(&left.value);
  if (number != nullptr && *number == 0) return right.value == Cell(0.0).value;
  return left == right;
}

/// Names some columns of `random_table` as keys.
inline std::vector<std::string> random_key_names(base::Random& random) {
  const std::vector<std::string> names = {"i", "f", "b", "s", "g", "id"};
  std::vector<std::string> keys(1 + random.below(2));
  for (std::string& key : keys) key = names[random.below(names.size())];
  return keys;
}

/// Says whether two rows of one table have equal keys, nulls being equal.
inline bool same_keys(const Table& table,
                      const std::vector<std::string>& keys,
                      const Row& left,
                      const Row& right) {
  for (const std::string& key : keys) {
    const std::size_t column = table.column_index(key);
    if (!same_key(left[column], right[column])) return false;
  }
  return true;
}

/// Runs a property on random input: `body(random, row_count, scratch)`. Row counts shrink; the seed
/// is printed on failure.
inline void check_property(
    const std::string& name,
    std::size_t row_count_max,
    const std::function<void(base::Random&, std::size_t, RowScratch&)>& body) {
  EXPECT_TRUE(rc::check(name, [&] {
    const auto row_count = *rc::gen::oneOf(rc::gen::inRange<std::size_t>(0, 3),
                                           rc::gen::inRange<std::size_t>(0, row_count_max + 1));
    const auto seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
    base::SplitMix64 random(seed);
    RowScratch scratch;
    for (int i = 0; i < 2; ++i) body(random, row_count, scratch);
  }));
}

}  // namespace millrace::rows::testing
