#include "stores/http/http_value.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/formats/json_reader.h"
#include "rows/column.h"
#include "rows/row_scratch.h"
#include "stores/store_task.h"

namespace millrace::stores {
namespace {

using Kind = HttpValue::Kind;

HttpValue field_of(const std::string& body, const std::string& field) {
  base::JsonReader reader;
  return read_field(body, JsonPointer::parse(field).value(), reader).value();
}

TEST(HttpValueTest, FindsFieldsByPointer) {
  EXPECT_EQ(field_of(R"({"a": {"b": 7}})", "/a/b").integer, 7);
  EXPECT_EQ(field_of(R"([10, 20, 30])", "/1").integer, 20);
  EXPECT_EQ(field_of(R"({"a": [{"x": "t"}]})", "/a/0/x").text, "t");
  EXPECT_EQ(field_of(R"({"a/b": {"c~d": true}})", "/a~1b/c~0d").kind, Kind::kBool);
  EXPECT_EQ(field_of(R"({"": 1.5})", "/").number, 1.5);
  EXPECT_EQ(field_of(R"({"a": 18446744073709551615})", "/a").kind, Kind::kFloat);
  EXPECT_EQ(field_of(R"({"a": []})", "/a").kind, Kind::kOther);
}

TEST(HttpValueTest, WhatIsMissingIsNull) {
  for (const char* field : {"/x", "/a/x", "/n", "/l/2", "/l/-1", "/l/01", "/l/x", "/s/0"}) {
    EXPECT_EQ(field_of(R"({"a": {}, "n": null, "l": [1, 2], "s": 5})", field).kind, Kind::kNull)
        << field;
  }
}

TEST(HttpValueTest, RefusesBadPointersAndBadJson) {
  EXPECT_FALSE(JsonPointer::parse("a"));
  EXPECT_FALSE(JsonPointer::parse(""));
  EXPECT_FALSE(JsonPointer::parse("/a~2"));
  EXPECT_FALSE(JsonPointer::parse("/a~"));
  base::JsonReader reader;
  const auto value = read_field("{\"a\": ", JsonPointer::parse("/a").value(), reader);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code(), base::ErrorCode::kNodeFailed);
}

TEST(HttpValueTest, AColumnTakesValuesOfItsTypeOnly) {
  const HttpValue none;
  const HttpValue flag{.kind = Kind::kBool, .flag = true};
  const HttpValue integer{.kind = Kind::kInt, .integer = 3};
  const HttpValue number{.kind = Kind::kFloat, .number = 2.5};
  const HttpValue text{.kind = Kind::kText, .text = "3"};
  const HttpValue other{.kind = Kind::kOther};
  const std::vector<const HttpValue*> values = {
      nullptr, &none, &flag, &integer, &number, &text, &other};
  struct Case {
    rows::ColumnType type;
    std::vector<std::size_t> valid;
  };
  for (const Case& expected : {Case{rows::ColumnType::kInt64, {3}},
                               Case{rows::ColumnType::kFloat64, {3, 4}},
                               Case{rows::ColumnType::kBool, {2}},
                               Case{rows::ColumnType::kString, {5}}}) {
    rows::RowScratch scratch;
    ParseErrors errors;
    const rows::ColumnRef column = make_value_column(expected.type, values, scratch, errors);
    std::vector<std::size_t> valid;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (!column->is_null(static_cast<rows::RowIndex>(row))) valid.push_back(row);
    }
    EXPECT_EQ(valid, expected.valid) << to_string(expected.type);
    EXPECT_EQ(errors.count, 5 - expected.valid.size()) << to_string(expected.type);
  }
}

}  // namespace
}  // namespace millrace::stores
