#include "rows/concat.h"

#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "rows/rows_fixture.h"

namespace millrace::rows {
namespace {

using testing::Cell;
using testing::check_property;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kNull;
using testing::Row;
using testing::Table;
using testing::to_rows;
using testing::to_table;

Table naive_concat(const std::vector<Table>& inputs, const std::vector<std::string>& tags) {
  Table out;
  for (const Table& input : inputs) {
    for (std::size_t i = 0; i < input.names.size(); ++i) {
      if (out.has(input.names[i])) continue;
      out.names.push_back(input.names[i]);
      out.types.push_back(input.types[i]);
    }
  }
  if (!tags.empty() && !out.has("source")) {
    out.names.emplace_back("source");
    out.types.push_back(ColumnType::kString);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const Row& row : inputs[i].rows) {
      Row wide;
      for (const std::string& name : out.names) {
        Cell cell = inputs[i].has(name) ? row[inputs[i].column_index(name)] : kNull;
        if (name == "source" && !tags.empty() && cell.is_null()) cell = tags[i];
        wide.push_back(cell);
      }
      out.rows.push_back(wide);
    }
  }
  return out;
}

// Drops some columns and renames others, so that inputs differ in what they have.
Table vary(Table table, base::Random& random) {
  const std::size_t column = 1 + random.below(table.names.size() - 1);
  table.names[column] = random.chance(0.5) ? table.names[column] : "source";
  if (table.names[column] == "source" && table.types[column] != ColumnType::kString) {
    table.names[column] = "other_" + std::to_string(column);
  }
  return table;
}

TEST(ConcatTest, AgreesWithNaiveConcat) {
  check_property("concat", 100, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    std::vector<RowSet> inputs;
    std::vector<Table> tables;
    std::vector<std::string> tags;
    const bool tagged = random.chance(0.5);
    const std::size_t input_count = 1 + random.below(4);
    for (std::size_t i = 0; i < input_count; ++i) {
      const Table table = vary(testing::random_table(random, random.below(count + 1)), random);
      inputs.push_back(testing::random_view(to_rows(table, scratch), random, scratch));
      tables.push_back(to_table(inputs.back()));
      if (tagged) tags.push_back("input" + std::to_string(i % 2));
    }
    RC_ASSERT(to_table(concat(inputs, tags, scratch).value()) == naive_concat(tables, tags));
  });
}

TEST(ConcatTest, AgreesWithNaiveConcatOnViewsOfOneBatch) {
  check_property("same", 100, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    const RowSet rows = testing::random_rows(random, count, scratch);
    const std::vector<RowSet> inputs = {rows.window(0, count / 2), rows.window(count / 3, count)};
    const RowSet together = concat(inputs, {}, scratch).value();
    RC_ASSERT(together.batch() == rows.batch());
    RC_ASSERT(to_table(together) == naive_concat({to_table(inputs[0]), to_table(inputs[1])}, {}));
  });
}

const Table kLeft{
    .names = {"id", "x"}, .types = {ColumnType::kInt64, ColumnType::kFloat64}, .rows = {{1, 0.5}}};

TEST(ConcatTest, ASourceOfTheirOwnStaysWithRows) {
  RowScratch scratch;
  const std::vector<std::string> inner_tags = {"follow", "media"};
  const std::vector<RowSet> inner = {to_rows(kLeft, scratch), to_rows(kLeft, scratch)};
  const std::vector<RowSet> outer = {concat(inner, inner_tags, scratch).value(),
                                     to_rows(kLeft, scratch)};
  const std::vector<std::string> outer_tags = {"both", "late"};
  const Table table = to_table(concat(outer, outer_tags, scratch).value());
  EXPECT_THAT(table.column("source"), ElementsAre("follow", "media", "late"));
}

TEST(ConcatTest, OneNameWithTwoTypesIsAnError) {
  RowScratch scratch;
  const Table other{
      .names = {"id", "x"}, .types = {ColumnType::kInt64, ColumnType::kString}, .rows = {{1, "a"}}};
  const std::vector<RowSet> inputs = {to_rows(kLeft, scratch), to_rows(other, scratch)};
  const auto result = concat(inputs, {}, scratch);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("x is string here and float"));
  EXPECT_EQ(result.error().where(), "concat.inputs[1]");
}

TEST(ConcatTest, RefusesNoInputsWrongTagsAndASourceThatIsNoString) {
  RowScratch scratch;
  const std::vector<std::string> tags = {"a", "b"};
  EXPECT_FALSE(concat({}, {}, scratch));
  const std::vector<RowSet> one = {to_rows(kLeft, scratch)};
  EXPECT_EQ(concat(one, tags, scratch).error().where(), "concat.tags");
  Table numbered = kLeft;
  numbered.names[1] = "source";
  const std::vector<RowSet> two = {to_rows(kLeft, scratch), to_rows(numbered, scratch)};
  EXPECT_EQ(concat(two, tags, scratch).error().where(), "concat.inputs[1]");
}

}  // namespace
}  // namespace millrace::rows
