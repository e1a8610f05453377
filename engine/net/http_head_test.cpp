#include "net/http_head.h"

#include <cctype>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::net {
namespace {

std::vector<std::string> items_of(const HttpFields& fields, std::string_view name) {
  std::vector<std::string> items;
  fields.for_each_item(name, [&](std::string_view item) { items.emplace_back(item); });
  return items;
}

TEST(HttpHeadTest, FindsFieldsInAnyCase) {
  HttpFields fields;
  fields.add("Content-Type", "text/plain");
  fields.add("X", "1");
  fields.add("x", "2");
  EXPECT_EQ(fields.find("content-TYPE"), "text/plain");
  EXPECT_EQ(fields.find("X"), "1");
  EXPECT_EQ(fields.count("X"), 2U);
  EXPECT_FALSE(fields.find("Content"));
  EXPECT_EQ(fields.count("Y"), 0U);
  EXPECT_EQ(fields[0].name, "Content-Type");
}

TEST(HttpHeadTest, OnlyAsciiLettersHaveCase) {
  EXPECT_TRUE(equal_ignoring_case("aZ-9", "Az-9"));
  EXPECT_FALSE(equal_ignoring_case("[", "{"));
  EXPECT_FALSE(equal_ignoring_case("\xc4", "\xe4"));
  EXPECT_FALSE(equal_ignoring_case("a", "ab"));
}

TEST(HttpHeadTest, KeepsWhatIsAddedAfterClear) {
  HttpFields fields;
  fields.add("A", "1");
  fields.clear();
  EXPECT_TRUE(fields.empty());
  fields.add("B", "");
  EXPECT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields.find("b"), "");
}

TEST(HttpHeadTest, TakesNamesAndValuesInPieces) {
  HttpFields fields;
  fields.extend_name("Con");
  fields.extend_name("nection");
  fields.extend_value("keep");
  fields.extend_value("-alive \t");
  fields.end_field();
  fields.extend_name("Empty");
  fields.end_field();
  EXPECT_EQ(fields.find("connection"), "keep-alive");
  EXPECT_EQ(fields.find("empty"), "");
}

TEST(HttpHeadTest, ListsAreSplitAtCommasOutsideQuotes) {
  HttpFields fields;
  fields.add("Accept", " a, b;q=0.5 ,,\t");
  fields.add("Other", "x");
  fields.add("accept", R"("one, two\", three", c)");
  EXPECT_EQ(items_of(fields, "Accept"),
            (std::vector<std::string>{"a", "b;q=0.5", R"("one, two\", three")", "c"}));
  EXPECT_EQ(items_of(fields, "None"), std::vector<std::string>());
}

TEST(HttpHeadTest, AListMayEndInsideAQuote) {
  HttpFields fields;
  fields.add("A", R"("open, \)");
  EXPECT_EQ(items_of(fields, "A"), (std::vector<std::string>{R"("open, \)"}));
}

TEST(HttpHeadTest, FindsTokensInLists) {
  HttpFields fields;
  fields.add("Connection", "Upgrade, Keep-Alive");
  fields.add("Connection", "x-close");
  EXPECT_TRUE(fields.has_token("connection", "keep-alive"));
  EXPECT_TRUE(fields.has_token("connection", "upgrade"));
  EXPECT_FALSE(fields.has_token("connection", "close"));
}

TEST(HttpHeadTest, WritesLines) {
  HttpFields fields;
  fields.add("A", "1");
  fields.add("B", "2, 3");
  std::string text = "GET\r\n";
  fields.append_to(text);
  EXPECT_EQ(text, "GET\r\nA: 1\r\nB: 2, 3\r\n");
}

TEST(HttpHeadTest, KnowsTokensAndValues) {
  EXPECT_TRUE(is_http_token("X-Request_Id.1"));
  for (const std::string_view text : {"", "a b", "a:", "a\r", "\xc3\xa4", "(a)"}) {
    EXPECT_FALSE(is_http_token(text)) << text;
  }
  EXPECT_TRUE(is_http_field_value(""));
  EXPECT_TRUE(is_http_field_value("text/plain;\tcharset=\"utf-8\" \xc3\xa4"));
  using std::string_view_literals::operator""sv;
  for (const std::string_view text : {" a"sv, "a "sv, "a\r\nB: c"sv, "a\nb"sv, "\0"sv, "\x7f"sv}) {
    EXPECT_FALSE(is_http_field_value(text)) << text;
  }
}

TEST(HttpHeadTest, EveryByteAtEveryPlaceIsJudged) {
  for (std::size_t size = 1; size < 20; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'a');
        text[place] = static_cast<char>(byte);
        const bool is_control = (byte < 0x20 && byte != '\t') || byte == 0x7f;
        const bool is_blank = byte == ' ' || byte == '\t';
        const bool is_at_end = place == 0 || place + 1 == size;
        EXPECT_EQ(is_http_field_value(text), !is_control && !(is_blank && is_at_end)) << byte;
        const bool is_token = std::isalnum(byte) != 0 ||
                              (byte != 0 && std::strchr("!#$%&'*+-.^_`|~", byte) != nullptr);
        EXPECT_EQ(is_http_token(text), is_token) << byte;
      }
    }
  }
}

}  // namespace
}  // namespace millrace::net
