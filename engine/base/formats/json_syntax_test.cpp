#include "base/formats/json_syntax.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/formats/json_reader.h"

namespace millrace::base {
namespace {

std::string mistake(std::string_view text) {
  const auto found = find_json_mistake(text);
  return found ? std::to_string(found->offset) + ": " + found->message : "";
}

TEST(JsonSyntaxTest, FindsNothingInGoodTexts) {
  for (const std::string_view text :
       {R"({})",
        R"([])",
        R"( {"a": [1, -2.5e+3, true, null, "x\u00e9\n\""], "b": {}} )",
        R"([[[[]]], {"a": {"b": [{}]}}])",
        "0"})
    EXPECT_EQ(mistake(text), "") << text;
}

TEST(JsonSyntaxTest, SaysWhatWasExpectedAndWhere) {
  EXPECT_EQ(mistake(""), "0: The text is empty");
  EXPECT_EQ(mistake(R"({"a": 1,})"), "7: There is a ',' before the '}', and nothing after it");
  EXPECT_EQ(mistake(R"([1, 2 3])"), "6: Expected ',' or ']' here, found '3'");
  EXPECT_EQ(mistake(R"({a: 1})"), "1: Expected the name of a field in double quotes, found 'a'");
  EXPECT_EQ(mistake(R"({"a" 1})"), "5: Expected ':' after the name, found '1'");
  EXPECT_EQ(mistake(R"({"a": })"), "6: Expected a value, found '}'");
  EXPECT_EQ(mistake(R"({"a": 1)"), "7: Expected ',' or '}' here, found the end of the text");
  EXPECT_EQ(mistake(R"({"a": 'x'})"), "6: Texts stand in double quotes, not in single ones");
  EXPECT_EQ(mistake(R"({"a": tru})"),
            "6: 'tru' is no value; texts stand in double quotes, and the only words are true, "
            "false and null");
  EXPECT_EQ(mistake(R"([1] 2)"), "4: Text after the end of the document");
}

TEST(JsonSyntaxTest, KnowsNumbersAndTexts) {
  EXPECT_EQ(mistake("[01]"), "1: A number must not begin with 0");
  EXPECT_EQ(mistake("[-]"), "2: Expected a digit after '-', found ']'");
  EXPECT_EQ(mistake("[1.]"), "3: Expected a digit after '.', found ']'");
  EXPECT_EQ(mistake("[1e]"), "3: Expected a digit in the exponent, found ']'");
  EXPECT_EQ(mistake("[12abc]"), "1: Not a number");
  EXPECT_EQ(mistake("[\"a\nb\"]"), "3: A text must not have the byte 0x0a in it; write \\u000a");
  EXPECT_EQ(mistake(R"(["\x01"])"), "2: Not an escape of JSON; a backslash itself is written \\\\");
  EXPECT_EQ(mistake(R"(["abc)"), "1: This text has no closing quote");
  EXPECT_EQ(mistake(R"(["\ud83d\ude42"])"), "");
  for (const std::string_view half : {R"(["\ud83d"])",
                                      R"(["\ude42"])",
                                      R"(["\ud83d\n"])",
                                      R"(["\ud83d\u0041"])",
                                      R"(["\ud83dx"])"})
    EXPECT_EQ(mistake(half), "2: Half of a surrogate pair, which is no character") << half;
}

TEST(JsonSyntaxTest, KnowsATextThatIsOnlyCutShort) {
  for (const std::string_view text :
       {"{", "[1,", "[-", "[1.", "[1e", R"(["ab)", R"(["a\)", R"(["a\u12)"}) {
    EXPECT_TRUE(find_json_mistake(text)->is_cut_short) << text;
  }
  for (const std::string_view text :
       {"{bad", "[1 2", "[01", R"(["\x)", R"(["\u1x)", "[1,]", "[]]"}) {
    EXPECT_FALSE(find_json_mistake(text)->is_cut_short) << text;
  }
}

TEST(JsonSyntaxTest, DeepTextsTakeNoStack) {
  EXPECT_EQ(mistake(std::string(1'000'000, '[')),
            "1000000: The text ends where a value must stand");
}

TEST(JsonSyntaxTest, MessagesOfTheReaderAreTheseWithLineAndColumn) {
  JsonReader reader;
  JsonDocument document;
  const auto read = reader.read("{\n  \"a\": 1,\n}", document);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "There is a ',' before the '}', and nothing after it");
  EXPECT_EQ(read.error().place.line, 2U);
  EXPECT_EQ(read.error().place.column, 9U);
}

}  // namespace
}  // namespace millrace::base
