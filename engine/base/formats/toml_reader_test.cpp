#include "base/formats/toml_reader.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

TEST(TomlReaderTest, OnlyStringsAndCommentsHoldMoreThanAscii) {
  EXPECT_TRUE(read_toml("# \u00e9\na = '\u00e9'\nb = \"\\\"\u00e9\"\nc = \"\"\"\n\u00e9\"\"\"\n"));
  for (const std::string_view sign : {"\u00a0", "\u00a1", "\u00e9", "\u2028", "\ufe7f", "\ufeff"}) {
    for (const std::string_view before : {"a = 1\n", "a = 1\nb", "a = 1\nb=", "a = 1\nb=+I'("}) {
      const auto stray = read_toml(std::string(before) + std::string(sign) + "#'#'\n");
      ASSERT_FALSE(stray.has_value()) << before << sign;
      EXPECT_EQ(stray.error().place.line, 2U) << before << sign;
    }
  }
}

TEST(TomlReaderTest, ALineOfAStringMayGoOnWithAnyLetter) {
  const auto root = read_toml("a = \"\"\"\\\n   \u00e9\ufe7f\"\"\"\n");
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(*root->find_member("a")->find<std::string>(), "\u00e9\ufe7f");
}

TEST(TomlReaderTest, RefusesATableHeaderThatNoNameFollows) {
  for (const std::string_view text : {"[`", "[`]", "[[=]]", "[\x01]"}) {
    EXPECT_FALSE(read_toml(text).has_value()) << text;
  }
}

TEST(TomlReaderTest, GivesValuesInTheOrderOfTheFileWithTheirPlaces) {
  const auto root = read_toml("[z]\nn = 1\nf = 1.5\n[a]\ns = 'x'\nb = true\nl = [1, 2]\n");
  ASSERT_TRUE(root);
  const auto* table = root->find<TomlValue::Table>();
  ASSERT_EQ(table->size(), 2U);
  EXPECT_EQ((*table)[0].name, "z");
  EXPECT_EQ(*root->find_member("z")->find_member("n")->find<std::int64_t>(), 1);
  EXPECT_EQ(*root->find_member("z")->find_member("f")->find<double>(), 1.5);
  const TomlValue* a = root->find_member("a");
  EXPECT_EQ(*a->find_member("s")->find<std::string>(), "x");
  EXPECT_TRUE(*a->find_member("b")->find<bool>());
  EXPECT_EQ(a->find_member("l")->find<TomlValue::Array>()->size(), 2U);
  EXPECT_EQ(a->find_member("b")->place, (TextPlace{.line = 6, .column = 5}));
  EXPECT_EQ(a->find<TomlValue::Table>()->at(1).place, (TextPlace{.line = 6, .column = 1}));
  EXPECT_EQ(a->find_member("nope"), nullptr);
  EXPECT_EQ(a->find_member("b")->find_member("x"), nullptr);
}

TEST(TomlReaderTest, SaysWhereATextIsWrong) {
  const auto bad = read_toml("a = 1\nb = = 2\n");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().place.line, 2U);
  EXPECT_NE(bad.error().message, "");
  EXPECT_FALSE(read_toml("a = 1\na = 2\n"));
  EXPECT_FALSE(read_toml("a = \"\xff\"\n"));
}

TEST(TomlReaderTest, RefusesATextAboveTheLimit) {
  const auto bad = read_toml("abc = 1", 3);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "Text longer than 3 bytes");
}

TEST(TomlReaderTest, ADateHasAKindOfItsOwn) {
  const auto root = read_toml("d = 2020-01-01\n");
  ASSERT_TRUE(root);
  EXPECT_EQ(kind_name(*root->find_member("d")), "date");
  EXPECT_EQ(kind_name(*root), "table");
}

}  // namespace
}  // namespace millrace::base
