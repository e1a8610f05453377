#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/evaluate_fixture.h"
#include "rows/column.h"
#include "rows/rows_fixture.h"

namespace millrace::expr {
namespace {

using rows::ColumnType;
using rows::testing::Cell;
using rows::testing::kNull;
using rows::testing::Table;
using testing::Bench;
using ::testing::ElementsAre;

// Four rows; `s` holds words 5, 7, 5 and 999 of a dictionary of many values.
class MachineStringsTest : public ::testing::Test {
 protected:
  MachineStringsTest() {
    rows::DictionaryBuilder dictionary;
    for (int i = 0; i < 100'000; ++i) static_cast<void>(dictionary.add("W" + std::to_string(i)));
    rows::Array<std::int32_t> codes = bench_.scratch().rows().make_array<std::int32_t>(4);
    const std::vector<std::int32_t> wanted{5, 7, 5, 999};
    for (std::size_t i = 0; i < 4; ++i) codes[i] = wanted[i];
    rows::ColumnRef column = rows::Column::make_string(std::move(codes), dictionary.finish());
    bench_.with_rows(
        rows::RowSet(bench_.rows().batch()->with_column("s", std::move(column)).value()));
  }

  Bench bench_{{.names = {"id", "s", "t"},
                .types = {ColumnType::kInt64, ColumnType::kString, ColumnType::kString},
                .rows = {{1, "x", "W5"}, {2, "x", "W5"}, {3, "x", kNull}, {4, "x", "W999"}}}};
};

TEST_F(MachineStringsTest, EXP8_TouchesOnlyTheStringsThatOccur) {
  const base::Result<Evaluated> lowered =
      evaluate(*bench_.bind("lower(s)"), bench_.rows(), bench_.scratch());
  EXPECT_EQ(lowered->column->dictionary()->size(), 3);
  EXPECT_THAT(bench_.cells("lower(s)"), ElementsAre("w5", "w7", "w5", "w999"));
  EXPECT_THAT(bench_.cells("s ~ /9+$/"), ElementsAre(false, false, false, true));
  EXPECT_THAT(bench_.cells("s in ['W7', 'none']"), ElementsAre(false, true, false, false));
}

TEST_F(MachineStringsTest, ComparesColumnsOfDifferentDictionaries) {
  EXPECT_THAT(bench_.cells("s == t"), ElementsAre(true, false, false, true));
  EXPECT_THAT(bench_.cells("s != t"), ElementsAre(false, true, false, false));
  EXPECT_THAT(bench_.cells("s > t"), ElementsAre(false, true, false, false));
  EXPECT_THAT(bench_.cells("coalesce(t, s) == s"), ElementsAre(true, false, true, true));
  EXPECT_THAT(bench_.cells("lower(s) == lower(t)"), ElementsAre(true, false, false, true));
  EXPECT_THAT(bench_.cells("starts_with(t, s)"), ElementsAre(true, false, false, true));
}

TEST_F(MachineStringsTest, StringOperationsCompose) {
  EXPECT_THAT(bench_.cells("length(coalesce(lower(t), 'none'))"), ElementsAre(2, 2, 4, 4));
  EXPECT_THAT(bench_.cells("if(s ~ /5/, lower(s), coalesce(t, 'none'))"),
              ElementsAre("w5", "W5", "w5", "W999"));
  EXPECT_THAT(bench_.cells("lower(if(id > 2, s, t)) ~ /^w5$/"),
              ElementsAre(true, true, true, false));
  EXPECT_THAT(bench_.cells("hash(lower(s)) == hash('w5')"), ElementsAre(true, false, true, false));
  EXPECT_THAT(bench_.cells("contains('W5W7', s)"), ElementsAre(true, true, true, false));
}

TEST(EmptyDictionaryTest, ServesColumnsOfNulls) {
  Bench bench(Table{.names = {"id", "s"},
                    .types = {ColumnType::kInt64, ColumnType::kString},
                    .rows = {{1, kNull}, {2, kNull}}});
  EXPECT_EQ(bench.rows().batch()->find_column("s")->dictionary()->size(), 0);
  EXPECT_THAT(bench.cells("s == 'a'"), ElementsAre(false, false));
  EXPECT_THAT(bench.cells("s < s"), ElementsAre(false, false));
  EXPECT_THAT(bench.cells("s ~ /a/"), ElementsAre(false, false));
  EXPECT_THAT(bench.cells("lower(s)"), ElementsAre(kNull, kNull));
  EXPECT_THAT(bench.cells("length(lower(s))"), ElementsAre(kNull, kNull));
  EXPECT_THAT(bench.cells("coalesce(s, 'x')"), ElementsAre("x", "x"));
  EXPECT_THAT(bench.cells("if(id > 1, s, 'y')"), ElementsAre("y", kNull));
}

}  // namespace
}  // namespace millrace::expr
