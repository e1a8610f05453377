#include "base/formats/toml_reader.h"

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
  EXPECT_EQ(root->root().find_member("a")->find_string(), "\u00e9\ufe7f");
}

TEST(TomlReaderTest, RefusesATableHeaderThatNoNameFollows) {
  for (const std::string_view text : {"[`", "[`]", "[[=]]", "[\x01]"}) {
    EXPECT_FALSE(read_toml(text).has_value()) << text;
  }
}

TEST(TomlReaderTest, GivesValuesInTheOrderOfTheFileWithTheirPlaces) {
  const auto document = read_toml("[z]\nn = 1\nf = 1.5\n[a]\ns = 'x'\nb = true\nl = [1, 2]\n");
  ASSERT_TRUE(document);
  const JsonValue root = document->root();
  ASSERT_EQ(root.size(), 2U);
  EXPECT_EQ((*root.children().begin()).key(), "z");
  EXPECT_EQ(root.find_member("z")->find_member("n")->find_int(), 1);
  EXPECT_EQ(root.find_member("z")->find_member("f")->find_number(), 1.5);
  const JsonValue a = *root.find_member("a");
  EXPECT_EQ(a.find_member("s")->find_string(), "x");
  EXPECT_EQ(a.find_member("b")->find_bool(), true);
  EXPECT_EQ(a.find_member("l")->size(), 2U);
  const JsonValue b = *a.find_member("b");
  EXPECT_EQ(document->place(b.offset()), (TextPlace{.line = 6, .column = 5}));
  EXPECT_EQ(document->place(b.key_offset()), (TextPlace{.line = 6, .column = 1}));
  EXPECT_FALSE(a.find_member("nope"));
  EXPECT_FALSE(b.find_member("x"));
}

TEST(TomlReaderTest, ATableMayBeContinuedAfterAnother) {
  const auto document = read_toml("[a.x]\nn = 1\n[b]\nm = 2\n[a.y]\nn = 3\n");
  ASSERT_TRUE(document);
  const JsonValue a = *document->root().find_member("a");
  EXPECT_EQ(a.size(), 2U);
  EXPECT_EQ(a.find_member("y")->find_member("n")->find_int(), 3);
  EXPECT_EQ(document->root().find_member("b")->find_member("m")->find_int(), 2);
}

TEST(TomlReaderTest, ColumnsCountCharactersBeforeAValueToo) {
  const auto document = read_toml("'\u00e9\u00e9' = { x = 5 }\n");
  ASSERT_TRUE(document);
  const JsonValue x = *(*document->root().children().begin()).find_member("x");
  EXPECT_EQ(document->place(x.offset()), (TextPlace{.line = 1, .column = 14}));
  EXPECT_EQ(document->text().substr(x.offset(), 1), "5");
}

TEST(TomlReaderTest, SaysWhereATextIsWrong) {
  const auto bad = read_toml("a = 1\nb = = 2\n");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().place.line, 2U);
  EXPECT_NE(bad.error().message, "");
  EXPECT_FALSE(read_toml("a = 1\na = 2\n"));
  EXPECT_FALSE(read_toml("a = \"\xff\"\n"));
}

TEST(TomlReaderTest, AKeyOfTooManyPartsIsAnErrorWithItsPlace) {
  std::string key = "a";
  for (int i = 0; i < 50'000; ++i) key += i % 2 == 0 ? ".b" : ".'x.y'";
  for (const std::string& text :
       {"\n[" + key + "]\n", "\n" + key + " = 1\n", "\nx = {" + key + " = 1}\n"}) {
    const auto bad = read_toml(text);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().place.line, 2U);
    EXPECT_EQ(bad.error().message, "A key of more than 100 parts");
  }
}

TEST(TomlReaderTest, DotsElsewhereAreNoPartsOfKeys) {
  std::string numbers = "1.5";
  for (int i = 0; i < 500; ++i) numbers += ", 2.5";
  const std::string dots(500, '.');
  const std::string text = "# " + dots + "\na = [" + numbers + "]\nb = \"\\\"" + dots +
                           "\"\nc = '" + dots + "'\nd = \"\"\"\n\" " + dots + "\n\"\"\"\n\"" +
                           dots + "\".e = 1\n# " + dots;
  EXPECT_TRUE(read_toml(text));
}

TEST(TomlReaderTest, RefusesATextAboveTheLimit) {
  const auto bad = read_toml("abc = 1", 3);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "Text longer than 3 bytes");
}

TEST(TomlReaderTest, KindsHaveTheNamesOfToml) {
  const auto document = read_toml("d = 2020-01-01\nf = 1.5\n");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->syntax(), DocumentSyntax::kToml);
  const auto name_of = [&](std::string_view member) {
    return to_string(document->root().find_member(member)->kind(), document->syntax());
  };
  EXPECT_EQ(name_of("d"), "date");
  EXPECT_EQ(name_of("f"), "float");
  EXPECT_EQ(to_string(document->root().kind(), document->syntax()), "table");
}

}  // namespace
}  // namespace millrace::base
