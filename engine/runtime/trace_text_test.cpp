#include "runtime/trace_text.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/random.h"

namespace millrace::runtime {
namespace {

std::string to_json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(TraceTextTest, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(to_json("plain"), R"("plain")");
  EXPECT_EQ(to_json("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(to_json(std::string_view("\n\0\x1f", 3)), R"("\u000a\u0000\u001f")");
  EXPECT_EQ(to_json("grün → 木 🌊"), "\"grün → 木 🌊\"");
}

TEST(TraceTextTest, ReplacesInvalidUtf8ByteByByte) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(to_json("a\xff"), "\"a" + mark + "\"");
  EXPECT_EQ(to_json("\xc3"), "\"" + mark + "\"");                                   // cut short
  EXPECT_EQ(to_json("\xc0\xaf"), "\"" + mark + mark + "\"");                        // overlong
  EXPECT_EQ(to_json("\xe0\x80\x80"), "\"" + mark + mark + mark + "\"");             // overlong
  EXPECT_EQ(to_json("\xed\xa0\x80"), "\"" + mark + mark + mark + "\"");             // surrogate
  EXPECT_EQ(to_json("\xf4\x90\x80\x80"), "\"" + mark + mark + mark + mark + "\"");  // > U+10FFFF
  EXPECT_EQ(to_json("\xf0\x8f\x80\x80"), "\"" + mark + mark + mark + mark + "\"");  // overlong
}

TEST(TraceTextTest, AnyBytesGiveJsonThatParses) {
  base::SplitMix64 random(1);
  for (int i = 0; i < 5'000; ++i) {
    std::string bytes(random.below(20), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.next());
    const std::string json = to_json(bytes);
    ASSERT_TRUE(nlohmann::json::accept(json)) << i;
  }
}

TEST(TraceTextTest, FitsColumnsByCharacterNotByByte) {
  EXPECT_EQ(fit_columns("abc", 5), "abc  ");
  EXPECT_EQ(fit_columns("abcdef", 4), "abc…");
  EXPECT_EQ(fit_columns("abcdef", 4, false), "abc~");
  EXPECT_EQ(fit_columns("grün木", 5), "grün木");
  EXPECT_EQ(fit_columns("grün木", 5, false), "gr?n?");
  EXPECT_EQ(fit_columns("a\x1b[2J\xff", 6), "a?[2J?");
  EXPECT_EQ(fit_columns("abc", 0), "");
}

TEST(TraceTextTest, DurationsTakeTheLargestUnitThatFits) {
  using namespace std::chrono_literals;
  EXPECT_EQ(format_duration(999ns), "999 ns");
  EXPECT_EQ(format_duration(1'005ns), "1.005 us");
  EXPECT_EQ(format_duration(12'345'678ns), "12.345 ms");
  EXPECT_EQ(format_duration(61s), "61.000 s");
}

}  // namespace
}  // namespace millrace::runtime
