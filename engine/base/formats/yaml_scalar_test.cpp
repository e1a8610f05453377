#include "base/formats/yaml_scalar.h"

#include <cstdint>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

template <class T>
T scalar(std::string_view text) {
  const YamlScalar value = read_yaml_scalar(text);
  EXPECT_TRUE(std::holds_alternative<T>(value)) << text;
  return std::holds_alternative<T>(value) ? std::get<T>(value) : T{};
}

TEST(YamlScalarTest, FollowsTheCoreSchema) {
  for (const char* text : {"", "~", "null", "Null", "NULL"}) scalar<std::monostate>(text);
  EXPECT_TRUE(scalar<bool>("True"));
  EXPECT_FALSE(scalar<bool>("FALSE"));
  EXPECT_EQ(scalar<std::int64_t>("+12"), 12);
  EXPECT_EQ(scalar<std::int64_t>("007"), 7);
  EXPECT_EQ(scalar<std::int64_t>("0x1F"), 31);
  EXPECT_EQ(scalar<std::int64_t>("0o17"), 15);
  EXPECT_EQ(scalar<std::int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(scalar<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(scalar<double>("1."), 1.0);
  EXPECT_EQ(scalar<double>("-.5e1"), -5.0);
}

TEST(YamlScalarTest, WordsOfOtherSchemasAreStrings) {
  for (const char* text : {"no",
                           "on",
                           "off",
                           "y",
                           "1_000",
                           "0b1",
                           "12:30",
                           "20ms",
                           "0x",
                           ".",
                           "e5",
                           "1e",
                           "+",
                           "2001-01-01",
                           "nULL",
                           "tRue"}) {
    EXPECT_EQ(scalar<std::string_view>(text), text);
  }
}

TEST(YamlScalarTest, NumbersThatCannotBeKeptAreNoStrings) {
  for (const char* text :
       {"18446744073709551616", "-9223372036854775809", "1e999", ".inf", "-.INF", ".nan"}) {
    scalar<YamlNumberRange>(text);
  }
}

}  // namespace
}  // namespace millrace::base
