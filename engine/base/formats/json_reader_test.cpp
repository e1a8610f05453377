#include "base/formats/json_reader.h"

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/formats/json_document.h"
#include "base/text_place.h"

namespace millrace::base {
namespace {

JsonProblem problem_of(std::string_view text, JsonLimits limits = {}) {
  const auto document = read_json(text, limits);
  EXPECT_FALSE(document) << text;
  return document ? JsonProblem{} : document.error();
}

std::string at(const JsonProblem& problem) { return to_string(problem.place); }

/// The object itself, and a failed test, when there is no such member.
JsonValue member_of(const JsonValue& object, std::string_view name) {
  const std::optional<JsonValue> member = object.find_member(name);
  EXPECT_TRUE(member) << name;
  return member.value_or(object);
}

TEST(JsonReaderTest, GivesValuesOfEveryKind) {
  const auto document = read_json(
      R"({"n": null, "t": true, "f": false, "i": -5, "u": 18446744073709551615, "d": 1.5e1,
          "s": "a\u00e4\n", "a": [1, [2], {}], "o": {"x": "y"}})");
  ASSERT_TRUE(document) << document.error().message;
  const JsonValue root = document->root();
  ASSERT_EQ(root.size(), 9U);
  EXPECT_TRUE(member_of(root, "n").is(JsonKind::kNull));
  EXPECT_EQ(member_of(root, "t").find_bool(), true);
  EXPECT_EQ(member_of(root, "f").find_bool(), false);
  EXPECT_EQ(member_of(root, "i").find_int(), -5);
  EXPECT_EQ(member_of(root, "i").find_unsigned(), std::nullopt);
  EXPECT_EQ(member_of(root, "u").find_unsigned(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(member_of(root, "u").find_int(), std::nullopt);
  EXPECT_EQ(member_of(root, "d").find_number(), 15.0);
  EXPECT_TRUE(member_of(root, "d").is(JsonKind::kFloat));
  EXPECT_EQ(member_of(root, "s").find_string(), "aä\n");
  EXPECT_EQ(member_of(root, "a").size(), 3U);
  EXPECT_EQ(member_of(member_of(root, "o"), "x").find_string(), "y");
  EXPECT_EQ(root.find_member("missing"), std::nullopt);
  EXPECT_EQ(member_of(root, "t").size(), 0U);
  EXPECT_EQ(member_of(root, "t").children().begin(), member_of(root, "t").children().end());
}

TEST(JsonReaderTest, TextThatEndsBehindANumberIsUnfinishedNotOutOfRange) {
  for (const std::string_view text : {R"({"user_id": 1)", R"({"a": [1, 2.5)", "[-7 "}) {
    const JsonProblem problem = problem_of(text);
    EXPECT_EQ(problem.code, JsonProblemCode::kSyntax) << text;
    EXPECT_EQ(problem.message, "The JSON text ends before it is complete") << text;
  }
  EXPECT_EQ(problem_of("[1e400]").message, "Number out of range");
  EXPECT_EQ(problem_of(R"({"a": 1e400)").code, JsonProblemCode::kNumberRange);
  EXPECT_EQ(problem_of("[1.2.3]").message, "Not a number");
}

TEST(JsonReaderTest, AMistakeComesBeforeTheMissingEnd) {
  const auto where = [](std::string_view text) {
    const JsonProblem problem = problem_of(text);
    return to_string(problem.place) + " " + problem.message;
  };
  EXPECT_EQ(where("{bad"), "1:2 Expected the name of a field in double quotes, found 'b'");
  EXPECT_EQ(where("{\n  \"a\": [1, 2 3"), "2:14 Expected ',' or ']' here, found '3'");
  EXPECT_EQ(where(R"({"a": 'x')"), "1:7 Texts stand in double quotes, not in single ones");
  EXPECT_EQ(where(R"({"a" 1, "b": [)"), "1:6 Expected ':' after the name, found '1'");
  EXPECT_EQ(where("{\n\"a\": 1,"), "2:8 The JSON text ends before it is complete");
  for (const std::string_view text : {"{", "[", R"({"a")", R"({"a":)", R"({"a": [{"b": 2})"}) {
    EXPECT_EQ(problem_of(text).message, "The JSON text ends before it is complete") << text;
  }
}

TEST(JsonReaderTest, AScalarIsNoDocument) {
  for (const std::string_view text : {"1", "null", "\"x\"", " -2.5 "}) {
    EXPECT_EQ(problem_of(text).message, "The document must be an object or an array") << text;
  }
}

TEST(JsonReaderTest, WalksChildrenInTheOrderOfTheText) {
  const auto document = read_json(R"([{"b": [1, 2]}, 7, {"a": {}}])");
  ASSERT_TRUE(document);
  std::vector<JsonKind> kinds;
  for (const JsonValue item : document->root().children()) kinds.push_back(item.kind());
  EXPECT_EQ(kinds, (std::vector{JsonKind::kObject, JsonKind::kInt, JsonKind::kObject}));
}

TEST(JsonReaderTest, KnowsThePlaceOfNamesAndValues) {
  const auto document = read_json("{\n  \"a\": 1,\n  \"ä\": {\"c\": [true]}\n}");
  ASSERT_TRUE(document);
  const JsonValue c = member_of(member_of(document->root(), "ä"), "c");
  EXPECT_EQ(to_string(document->place(c.key_offset())), "3:9");
  EXPECT_EQ(to_string(document->place(c.offset())), "3:14");
  EXPECT_EQ(to_string(document->place((*c.children().begin()).offset())), "3:15");
}

TEST(JsonReaderTest, KeepsIntegersOf64BitsExact) {
  const auto document = read_json("[9223372036854775807, -9223372036854775808, 1.0]");
  ASSERT_TRUE(document);
  auto item = document->root().children().begin();
  EXPECT_EQ((*item).find_int(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ((*++item).find_int(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ((*++item).kind(), JsonKind::kFloat);
}

TEST(JsonReaderTest, ReadsFloatsOfAnyLengthExactly) {
  const std::string digits(400, '3');
  for (const std::string& text : {std::string("11.0222222224444444444"),
                                  std::string("0.3000000000000000444089209850062616169452667"),
                                  "-0." + digits,
                                  digits.substr(0, 300) + ".5",
                                  "0." + std::string(320, '0') + "49",
                                  std::string("1e-400"),
                                  std::string("-2.2250738585072011e-308")}) {
    const auto document = read_json("[" + text + "]");
    ASSERT_TRUE(document) << text;
    const JsonValue number = *document->root().children().begin();
    EXPECT_EQ(number.find_number(), std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(JsonReaderTest, RefusesNumbersOutOfRange) {
  for (const char* text : {"1e400",
                           "-1e400",
                           "18446744073709551616",
                           "-9223372036854775809",
                           "123456789012345678901234567890"}) {
    const JsonProblem problem = problem_of(std::string("[0, ") + text + "]");
    EXPECT_EQ(problem.code, JsonProblemCode::kNumberRange) << text;
    EXPECT_EQ(at(problem), "1:5") << text;
  }
}

TEST(JsonReaderTest, RefusesWhatIsNotJson) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "[",
                           "[1,]",
                           "{\"a\":1,}",
                           "{\"a\" 1}",
                           "{a: 1}",
                           "[1 2]",
                           "[01]",
                           "[+1]",
                           "[1.]",
                           "[.5]",
                           "[nul]",
                           "[nulll]",
                           "[tru]",
                           "[truee]",
                           "['a']",
                           "[\"a]",
                           "[\"\\x\"]",
                           "[\"\\ud800\"]",
                           "[1]]",
                           "[1] [2]",
                           "{} x",
                           "[1}",
                           "{\"a\":[}",
                           "[NaN]",
                           "[\"\n\"]",
                           "[-]",
                           "[1e]",
                           "1",
                           "\"a\"",
                           "null",
                           "\xEF\xBB\xBF[1] 2",
                           "[\"a\" \"b\"]",
                           "{\"a\":}"}) {
    EXPECT_EQ(problem_of(text).code, JsonProblemCode::kSyntax) << text;
  }
}

TEST(JsonReaderTest, AZeroByteEndsNoText) {
  EXPECT_EQ(problem_of(std::string_view("[1]\0", 4)).code, JsonProblemCode::kSyntax);
  EXPECT_EQ(problem_of(std::string_view("{}\0\0\n", 5)).code, JsonProblemCode::kSyntax);
}

TEST(JsonReaderTest, RefusesTextThatIsNotUtf8AtItsPlace) {
  const JsonProblem problem = problem_of("{\"a\":\n \"x\xff\"}");
  EXPECT_EQ(problem.code, JsonProblemCode::kNotUtf8);
  EXPECT_EQ(at(problem), "2:4");
}

TEST(JsonReaderTest, RefusesDuplicateKeysAtTheSecondOne) {
  const JsonProblem small = problem_of("{\"a\": 1,\n \"\\u0061\": 2}");
  EXPECT_EQ(small.code, JsonProblemCode::kDuplicateKey);
  EXPECT_EQ(at(small), "2:2");
  EXPECT_EQ(small.message, "Duplicate key: a");
  std::string many = "{";
  for (int i = 0; i < 40; ++i) many += "\"k" + std::to_string(i) + "\": 0, ";
  const JsonProblem large = problem_of(many + "\n\"k7\": 1}");
  EXPECT_EQ(large.code, JsonProblemCode::kDuplicateKey);
  EXPECT_EQ(at(large), "2:1");
}

TEST(JsonReaderTest, TheSameKeyInTwoObjectsIsFine) {
  EXPECT_TRUE(read_json(R"({"a": {"a": 1}, "b": {"a": 1}})"));
}

TEST(JsonReaderTest, RefusesDepthAboveTheLimit) {
  EXPECT_TRUE(read_json(std::string(64, '[') + std::string(64, ']')));
  const JsonProblem problem = problem_of(std::string(65, '[') + std::string(65, ']'));
  EXPECT_EQ(problem.code, JsonProblemCode::kTooDeep);
  EXPECT_EQ(at(problem), "1:65");
  EXPECT_EQ(problem_of(std::string(10'000, '[') + std::string(10'000, ']')).code,
            JsonProblemCode::kTooDeep);
}

TEST(JsonReaderTest, RefusesSizesAboveTheLimits) {
  EXPECT_EQ(problem_of("[1, 2]", {.text_bytes_max = 5}).code, JsonProblemCode::kTooLarge);
  EXPECT_EQ(problem_of("[1, \"abcd\"]", {.string_bytes_max = 3}).code, JsonProblemCode::kTooLarge);
  EXPECT_EQ(problem_of("{\"abcd\": 1}", {.string_bytes_max = 3}).code, JsonProblemCode::kTooLarge);
  EXPECT_EQ(problem_of("[1, 2, 3]", {.value_count_max = 3}).code, JsonProblemCode::kTooLarge);
}

TEST(JsonReaderTest, ReadsTheNextTextAfterABadOne) {
  JsonReader reader;
  JsonDocument document;
  EXPECT_FALSE(reader.read("[1", document));
  ASSERT_TRUE(reader.read("[7]", document));
  EXPECT_EQ((*document.root().children().begin()).find_int(), 7);
  ASSERT_TRUE(reader.read("{\"a\": \"b\"}", document));
  EXPECT_EQ(member_of(document.root(), "a").find_string(), "b");
}

}  // namespace
}  // namespace millrace::base
