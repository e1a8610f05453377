#pragma once

// Random row sets, plain definitions of equality and order to compare with, and the runner of
// properties.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/random.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/dictionary.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/sort_key.h"
#include "rows/stop_check.h"
#include "rows/table_fixture.h"

namespace millrace::rows::testing {

/// Makes cells that are likely to collide and to sit on the edges of their type.
class CellMaker {
 public:
  /// `null_chance_` is drawn once, so that some columns have no null and some nothing else.
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

/// A dictionary of a hundred thousand values, made once.
inline const DictionaryRef& huge_dictionary() {
  static const DictionaryRef huge = [] {
    constexpr int kValues = 100'000;
    DictionaryBuilder dictionary;
    for (int i = 0; i < kValues; ++i)
      static_cast<void>(dictionary.add("word" + std::to_string(std::int64_t{i} * 7919 % kValues)));
    return dictionary.finish();
  }();
  return huge;
}

/// Random rows of `random_table` seen through a random view; sizes 0 and 1 are frequent. Sometimes
/// the column `s` uses a dictionary with far more values than the batch has rows.
inline RowSet random_rows(base::Random& random, std::size_t row_count, RowScratch& scratch) {
  RowSet rows = to_rows(random_table(random, row_count), scratch);
  if (random.chance(0.2)) {
    const DictionaryRef& dictionary = huge_dictionary();
    const auto value_count = static_cast<std::uint64_t>(dictionary->size());
    Array<std::int32_t> codes = scratch.make_array<std::int32_t>(row_count);
    for (std::int32_t& code : codes.span())
      code = static_cast<std::int32_t>(random.below(value_count));
    rows = RowSet(
        rows.batch()->with_column("s", Column::make_string(std::move(codes), dictionary)).value());
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

/// Enough rows that work on them takes more than one part.
inline constexpr std::size_t kTwoPartsRows = kStopCheckRows + 100;

/// Runs a property on random input: `body(random, row_count, scratch)`. Row counts shrink; the seed
/// is printed on failure. One run in twenty has `large_row_count` rows; pass a small number where
/// `body` takes more than linear time.
inline void check_property(const std::string& name,
                           std::size_t row_count_max,
                           const std::function<void(base::Random&, std::size_t, RowScratch&)>& body,
                           std::size_t large_row_count = kTwoPartsRows) {
  EXPECT_TRUE(rc::check(name, [&] {
    const auto row_count = *rc::gen::weightedOneOf<std::size_t>(
        {{10, rc::gen::inRange<std::size_t>(0, 3)},
         {10, rc::gen::inRange<std::size_t>(0, row_count_max + 1)},
         {1, rc::gen::just(large_row_count)}});
    const auto seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
    base::SplitMix64 random(seed);
    RowScratch scratch;
    for (int i = 0; i < 2; ++i) body(random, row_count, scratch);
  }));
}

}  // namespace millrace::rows::testing
