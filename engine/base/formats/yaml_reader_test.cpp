#include "base/formats/yaml_reader.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/text_place.h"

namespace millrace::base {
namespace {

JsonDocument read_good_yaml(std::string_view text) {
  auto document = read_yaml(text);
  EXPECT_TRUE(document) << text << ": " << (document ? "" : document.error().message);
  return document ? *std::move(document) : *read_json("{}");
}

/// `code@line:column message`
std::string yaml_problem(std::string_view text, const JsonLimits& limits = {}) {
  const auto document = read_yaml(text, limits);
  if (document) return "read";
  const char* const names[] = {"syntax", "utf8", "duplicate", "range", "deep", "large"};
  return std::string(names[static_cast<std::size_t>(document.error().code)]) + "@" +
         to_string(document.error().place) + " " + document.error().message;
}

TEST(YamlReaderTest, ReadsBlockAndFlowIntoOneDocumentWithPlaces) {
  const JsonDocument document = read_good_yaml("a: 1\nlist:\n  - x\n  - {y: no, z: 2.5}\nempty:\n");
  const JsonValue root = document.root();
  EXPECT_EQ(root.size(), 3U);
  EXPECT_EQ(root.find_member("a")->find_int(), 1);
  const JsonValue list = *root.find_member("list");
  ASSERT_EQ(list.size(), 2U);
  auto item = list.children().begin();
  EXPECT_EQ((*item).find_string(), "x");
  ++item;
  EXPECT_EQ((*item).find_member("y")->find_string(), "no");
  EXPECT_EQ(document.place((*item).find_member("z")->key_offset()), (TextPlace{4, 13}));
  EXPECT_EQ(document.place((*item).find_member("z")->offset()), (TextPlace{4, 16}));
  EXPECT_TRUE(root.find_member("empty")->is(JsonKind::kNull));
}

TEST(YamlReaderTest, AByteOrderMarkIsNoPartOfTheText) {
  const std::string mark = "\xEF\xBB\xBF";
  const std::string text = mark + "a: 1\nb: é\n";
  const JsonDocument document = read_good_yaml(text);
  ASSERT_EQ(document.root().size(), 2U);
  const JsonValue a = *document.root().find_member("a");
  EXPECT_EQ(document.place(a.key_offset()), (TextPlace{1, 1}));
  EXPECT_EQ(document.place(a.offset()), (TextPlace{1, 4}));
  EXPECT_EQ(document.place(document.root().find_member("b")->offset()), (TextPlace{2, 4}));
  EXPECT_EQ(yaml_problem(mark + "a: 1\na: 2\n"), yaml_problem("a: 1\na: 2\n"));
  EXPECT_EQ(yaml_problem(mark + "a: [\n"), yaml_problem("a: [\n"));
  EXPECT_EQ(yaml_problem(mark + "a: \x01\n"), yaml_problem("a: \x01\n"));
  EXPECT_EQ(yaml_problem(mark), yaml_problem(""));
}

TEST(YamlReaderTest, CountsCharactersNotBytes) {
  const JsonDocument document = read_good_yaml("ключ: {é: 1, b: \"x\"}\n");
  const JsonValue inner = *document.root().find_member("ключ");
  EXPECT_EQ(document.place(inner.find_member("b")->key_offset()), (TextPlace{1, 14}));
  EXPECT_EQ(document.place(inner.find_member("b")->offset()), (TextPlace{1, 17}));
}

TEST(YamlReaderTest, QuotedScalarsAreStrings) {
  const JsonDocument document = read_good_yaml("a: '1'\nb: \"true\"\nc: |\n  null\n");
  EXPECT_EQ(document.root().find_member("a")->find_string(), "1");
  EXPECT_EQ(document.root().find_member("b")->find_string(), "true");
}

TEST(YamlReaderTest, AliasesRepeatValues) {
  const JsonDocument document =
      read_good_yaml("a: &x {k: [1, 2]}\nb: *x\nc: &s word\nd: [*s, *x]\n");
  const JsonValue root = document.root();
  EXPECT_EQ(root.find_member("b")->find_member("k")->size(), 2U);
  EXPECT_EQ(document.place(root.find_member("b")->offset()), (TextPlace{2, 4}));
  EXPECT_EQ(document.place(root.find_member("b")->find_member("k")->offset()), (TextPlace{1, 11}));
  EXPECT_EQ((*root.find_member("d")->children().begin()).find_string(), "word");
}

TEST(YamlReaderTest, RefusesWhatIsNotStrict) {
  EXPECT_EQ(yaml_problem(""), "syntax@1:1 The text is empty");
  EXPECT_EQ(yaml_problem("word"), "syntax@1:1 The document must be a mapping or a sequence");
  EXPECT_EQ(yaml_problem("a: 1\nb: 2\na: 3\n"), "duplicate@3:1 Duplicate key: a");
  EXPECT_EQ(yaml_problem("a: !!str 1\n"), "syntax@1:4 Tags are not allowed");
  EXPECT_EQ(yaml_problem("a: ! 1\n"), "syntax@1:4 Tags are not allowed");
  EXPECT_EQ(yaml_problem("%TAG ! tag:x,2000:\n---\na: 1\n"), "syntax@1:1 Tags are not allowed");
  EXPECT_EQ(yaml_problem("%YAML 1.1\n---\na: 1\n"), "syntax@1:1 The %YAML directive must say 1.2");
  EXPECT_EQ(yaml_problem("a: 1\n---\nb: 1\n"), "syntax@2:1 A second document; a file holds one");
  EXPECT_EQ(yaml_problem("{[a]: 1}"), "syntax@1:2 A key must be a scalar, not a collection");
  EXPECT_EQ(yaml_problem("a: *nobody"), "syntax@1:4 Alias of an unknown anchor: *nobody");
  EXPECT_EQ(yaml_problem("a: &x [1, *x]"), "syntax@1:11 Alias inside the value it names: *x");
  EXPECT_EQ(yaml_problem("a: &x b\n*x : 1"),
            "syntax@2:1 A key must be written out, not be an alias");
  EXPECT_EQ(yaml_problem("a: .inf"), "range@1:4 Number out of range: .inf");
  EXPECT_EQ(yaml_problem("a: 99999999999999999999"),
            "range@1:4 Number out of range: 99999999999999999999");
}

TEST(YamlReaderTest, SaysWhereTheSyntaxIsWrong) {
  EXPECT_EQ(yaml_problem("a: [1, 2\nb: 3\n").substr(0, 10), "syntax@2:2");
  EXPECT_EQ(yaml_problem("a: 1\n\tb: 2\n").substr(0, 10), "syntax@2:1");
  EXPECT_EQ(yaml_problem(std::string_view("a: x\0y", 6)).substr(0, 10), "syntax@1:5");
  EXPECT_EQ(yaml_problem("a: \x01"),
            "syntax@1:4 Not valid YAML: control characters are not allowed");
}

TEST(YamlReaderTest, RefusesWhatIsNotUtf8AtTheFirstBadByte) {
  for (const char* bad : {"\x80",
                          "\xC0\xAF",
                          "\xE0\x80\x80",
                          "\xED\xA0\x80",
                          "\xF4\x90\x80\x80",
                          "\xF8\x88",
                          "\xE2\x82",
                          "\xFF"}) {
    EXPECT_EQ(yaml_problem(std::string("é: ") + bad), "utf8@1:4 Text is not valid UTF-8");
  }
  read_good_yaml("a: \xF0\x9F\x8C\xB1\n");
}

TEST(YamlReaderTest, EveryLimitIsAnErrorOfItsOwn) {
  EXPECT_EQ(yaml_problem("a: 12345", {.text_bytes_max = 7}), "large@1:1 Text longer than 7 bytes");
  EXPECT_EQ(yaml_problem("a: 12345", {.string_bytes_max = 4}),
            "large@1:4 String longer than 4 bytes");
  EXPECT_EQ(yaml_problem("[1, 2, 3]", {.value_count_max = 3}),
            "large@1:8 More than 3 values, aliases written out");
  EXPECT_EQ(yaml_problem("[[[1]]]", {.depth_max = 2}), "deep@1:3 Nested deeper than 2 levels");
  EXPECT_EQ(yaml_problem("a: &x [[1]]\nb: [*x]", {.depth_max = 3}),
            "deep@2:5 Nested deeper than 3 levels");
}

TEST(YamlReaderTest, DeepTextAndAliasBombsEndEarly) {
  const std::string flow(100'000, '[');
  EXPECT_EQ(yaml_problem(flow).substr(0, 5), "deep@");
  std::string block;
  for (int i = 0; i < 1000; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "- \n";
  EXPECT_EQ(yaml_problem(block).substr(0, 5), "deep@");
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 9; ++k) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_EQ(yaml_problem(bomb).substr(0, 6), "large@");
}

}  // namespace
}  // namespace millrace::base
