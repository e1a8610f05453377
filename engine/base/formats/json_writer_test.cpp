#include "base/formats/json_writer.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/random.h"

namespace millrace::base {
namespace {

template <class T>
std::string written(const T& content) {
  std::string out;
  JsonWriter(out).value(content);
  return out;
}

TEST(JsonWriterTest, FindsWhatNeedsAnEscapeAtEveryPlace) {
  for (std::size_t length = 1; length <= 20; ++length) {
    const std::string plain(length, '~');
    for (std::size_t place = 0; place < length; ++place) {
      for (int byte = 0; byte < 0x80; ++byte) {
        std::string text = plain;
        text[place] = static_cast<char>(byte);
        std::string out = "before";
        append_json_string(out, text);
        const bool is_plain = byte >= 0x20 && byte != '"' && byte != '\\';
        ASSERT_EQ(out == "before\"" + text + "\"", is_plain) << byte << " at " << place;
      }
    }
  }
}

TEST(JsonWriterTest, NestsObjectsAndArraysInCallOrder) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("zebra", 1);
  json.key("apple");
  json.begin_array();
  json.value("x");
  json.null();
  json.begin_object();
  json.end_object();
  json.end_array();
  json.member("last", true);
  json.end_object();
  EXPECT_EQ(out, R"({"zebra":1,"apple":["x",null,{}],"last":true})");
}

TEST(JsonWriterTest, AppendsToWhatIsThere) {
  std::string out = "data: ";
  JsonWriter(out).value(false);
  EXPECT_EQ(out, "data: false");
}

TEST(JsonWriterTest, WritesIntegersExactly) {
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(written(std::int64_t{9007199254740993}), "9007199254740993");
  EXPECT_EQ(written(std::uint8_t{200}), "200");
}

TEST(JsonWriterTest, WritesDoublesInShortestForm) {
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(1.0), "1");
  EXPECT_EQ(written(-0.0), "-0");
  EXPECT_EQ(written(1e300), "1e+300");
  EXPECT_EQ(written(std::numeric_limits<double>::denorm_min()), "5e-324");
}

TEST(JsonWriterTest, DoublesReadBackToTheSameBits) {
  SplitMix64 random(1);
  for (int draw = 0; draw < 10'000; ++draw) {
    const double number = (random.unit() - 0.5) * static_cast<double>(random.next());
    const std::string text = written(number);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    ASSERT_EQ(read, number) << text;
  }
}

TEST(JsonWriterTest, WritesWhatJsonCannotSayAsNull) {
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(-std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonWriterTest, EscapesQuotesBackslashesAndControls) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(written("a\"b\\c\nd\re\tf\x01\x1F\0z"sv), R"("a\"b\\c\nd\re\tf\u0001\u001f\u0000z")");
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("k\"", 1);
  json.end_object();
  EXPECT_EQ(out, R"({"k\"":1})");
}

TEST(JsonWriterTest, KeepsWellFormedUtf8) {
  constexpr std::string_view kText = "\u00E9 \u20AC \U0001F600 \u007F \uFFFF \U0010FFFF";
  EXPECT_EQ(written(kText), "\"" + std::string(kText) + "\"");
}

TEST(JsonWriterTest, ReplacesBytesThatAreNotUtf8) {
  const std::string bad = "\uFFFD";
  EXPECT_EQ(written("a\xFFz"), "\"a" + bad + "z\"");
  EXPECT_EQ(written("\xC3"), "\"" + bad + "\"");                                // cut short
  EXPECT_EQ(written("\xC0\xAF"), "\"" + bad + bad + "\"");                      // overlong
  EXPECT_EQ(written("\xE0\x80\x80"), "\"" + bad + bad + bad + "\"");            // overlong
  EXPECT_EQ(written("\xED\xA0\x80"), "\"" + bad + bad + bad + "\"");            // surrogate
  EXPECT_EQ(written("\xF4\x90\x80\x80"), "\"" + bad + bad + bad + bad + "\"");  // above U+10FFFF
  EXPECT_EQ(written("\xE2\x82z"), "\"" + bad + bad + "z\"");  // third byte missing
}

TEST(JsonWriterTest, DoesNotReadBeyondACutSequence) {
  constexpr std::string_view kWhole = "\u00E9";
  EXPECT_EQ(written(kWhole.substr(0, 1)), "\"\uFFFD\"");
}

#ifndef NDEBUG
TEST(JsonWriterDeathTest, CatchesABracketTooMany) {
  std::string out;
  JsonWriter json(out);
  EXPECT_DEATH(json.end_array(), "MR_CHECK failed: depth_ > 0");
}
#endif

}  // namespace
}  // namespace millrace::base
