#include "rows/column.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rows/column_builder.h"
#include "rows/dictionary.h"
#include "rows/row_scratch.h"
#include "rows/value.h"

namespace millrace::rows {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kBeyondDouble = (std::int64_t{1} << 53U) + 1;

Array<std::uint8_t> bytes(RowScratch& scratch, std::initializer_list<std::uint8_t> values) {
  Array<std::uint8_t> array = scratch.make_array<std::uint8_t>(values.size());
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

TEST(ColumnTest, BuildersKeepValuesAndNulls) {
  RowScratch scratch;
  Int64ColumnBuilder ints(scratch);
  Float64ColumnBuilder floats(scratch, 3);
  BoolColumnBuilder bools(scratch);
  StringColumnBuilder strings(scratch);
  ints.append(kBeyondDouble);
  ints.append_null();
  floats.append_null();
  floats.append(0.5);
  bools.append(1);
  bools.append_null();
  strings.append("x");
  strings.append_null();

  const ColumnRef int_column = ints.finish();
  EXPECT_EQ(int_column->value_at(0), Value(kBeyondDouble));
  EXPECT_EQ(int_column->value_at(1), Value());
  const ColumnRef float_column = floats.finish();
  EXPECT_TRUE(float_column->is_null(0));
  EXPECT_EQ(float_column->value_at(1), Value(0.5));
  EXPECT_EQ(bools.finish()->value_at(0), Value(true));
  const ColumnRef string_column = strings.finish();
  EXPECT_EQ(string_column->value_at(0), Value(std::string_view("x")));
  EXPECT_EQ(string_column->value_at(1), Value());
  EXPECT_EQ(string_column->dictionary()->size(), 1);
}

TEST(ColumnTest, ANullAfterManyValuesMarksOnlyItself) {
  RowScratch scratch;
  Int64ColumnBuilder builder(scratch);
  for (std::int64_t i = 0; i < 500; ++i) builder.append(i);
  builder.append_null();
  builder.append(7);
  const ColumnRef column = builder.finish();
  ASSERT_EQ(column->size(), 502U);
  for (std::size_t i = 0; i < 500; ++i)
    EXPECT_EQ(column->int64s()[i], static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < 502; ++i) EXPECT_EQ(column->is_null(i), i == 500);
}

TEST(ColumnTest, DropsValidityThatHoldsNoNull) {
  RowScratch scratch;
  const ColumnRef column = Column::make_bool(bytes(scratch, {0, 1}), bytes(scratch, {1, 1}));
  EXPECT_FALSE(column->has_nulls());
  EXPECT_TRUE(column->validity().empty());
}

TEST(ColumnTest, FindsANullAnywhere) {
  RowScratch scratch;
  constexpr std::size_t kCount = 3000;
  for (const std::size_t null_at :
       {std::size_t{0}, std::size_t{1023}, std::size_t{1024}, kCount - 1}) {
    Array<std::uint8_t> validity = scratch.make_array<std::uint8_t>(kCount);
    std::fill_n(validity.data(), kCount, std::uint8_t{1});
    validity[null_at] = 0;
    const ColumnRef column =
        Column::make_int64(scratch.make_array<std::int64_t>(kCount), std::move(validity));
    EXPECT_TRUE(column->has_nulls());
    EXPECT_TRUE(column->is_null(null_at));
  }
}

TEST(ColumnTest, TSK6_ColumnsShareADictionary) {
  RowScratch scratch;
  constexpr std::array<std::string_view, 2> kWords = {"x", "y"};
  const DictionaryRef dictionary = make_dictionary(kWords);
  Array<std::int32_t> codes = scratch.make_array<std::int32_t>(1);
  codes[0] = 1;
  const ColumnRef column = Column::make_string(std::move(codes), dictionary);
  EXPECT_EQ(column->dictionary(), dictionary);
  EXPECT_THAT(column->codes(), ElementsAre(1));
  EXPECT_EQ(column->value_at(0), Value(std::string_view("y")));
}

TEST(ColumnTest, TypesHaveTheNamesOfTheRegistry) {
  EXPECT_EQ(to_string(ColumnType::kInt64), "int");
  EXPECT_EQ(to_string(ColumnType::kFloat64), "float");
  EXPECT_EQ(to_string(ColumnType::kBool), "bool");
  EXPECT_EQ(to_string(ColumnType::kString), "string");
}

TEST(ColumnDeathTest, RefusesToReadAnotherType) {
  RowScratch scratch;
  const ColumnRef column = Column::make_int64(scratch.make_array<std::int64_t>(0));
  EXPECT_DEATH(static_cast<void>(column->float64s()), "MR_CHECK failed");
}

}  // namespace
}  // namespace millrace::rows
