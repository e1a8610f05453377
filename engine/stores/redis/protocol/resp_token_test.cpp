#include "stores/redis/protocol/resp_token.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace millrace::stores::testing {
namespace {

RespToken token_of(std::string_view bytes) {
  RespToken token;
  std::string_view problem;
  EXPECT_EQ(read_token(bytes, token, problem), TokenStatus::kComplete) << bytes << problem;
  EXPECT_EQ(token.size, bytes.size()) << bytes;
  return token;
}

std::string token_problem(std::string_view bytes) {
  RespToken token;
  std::string_view problem;
  if (read_token(bytes, token, problem) != TokenStatus::kInvalid) return "";
  return std::string(problem);
}

TEST(RespTokenTest, ReadsEveryForm) {
  EXPECT_EQ(token_of("+OK\r\n").text, "OK");
  EXPECT_EQ(token_of("-ERR no\r\n").type, RespType::kError);
  EXPECT_EQ(token_of(":-9223372036854775808\r\n").integer, INT64_MIN);
  EXPECT_EQ(token_of(":+5\r\n").integer, 5);
  EXPECT_EQ(token_of("$0\r\n\r\n").text, "");
  EXPECT_NE(token_of("$0\r\n\r\n").text.data(), nullptr);
  EXPECT_EQ(token_of("$4\r\na\r\nb\r\n").text, "a\r\nb");
  EXPECT_EQ(token_of("$-1\r\n").type, RespType::kNull);
  EXPECT_EQ(token_of("*-1\r\n").type, RespType::kNull);
  EXPECT_EQ(token_of("_\r\n").type, RespType::kNull);
  EXPECT_EQ(token_of(",1.5e3\r\n").number, 1500);
  EXPECT_EQ(token_of(",inf\r\n").type, RespType::kDouble);
  EXPECT_EQ(token_of("#t\r\n").integer, 1);
  EXPECT_EQ(token_of("#f\r\n").integer, 0);
  EXPECT_EQ(token_of("!5\r\nERR x\r\n").text, "ERR x");
  EXPECT_EQ(token_of("=7\r\ntxt:abc\r\n").text, "abc");
  EXPECT_EQ(token_of("(-123456789012345678901234567890\r\n").text,
            "-123456789012345678901234567890");
  EXPECT_EQ(token_of("*3\r\n").count, 3U);
  EXPECT_EQ(token_of("%2\r\n").type, RespType::kMap);
  EXPECT_EQ(token_of("~2\r\n").type, RespType::kSet);
  EXPECT_EQ(token_of(">2\r\n").type, RespType::kPush);
  EXPECT_EQ(token_of("|1\r\n").type, RespType::kAttribute);
}

TEST(RespTokenTest, EveryPrefixIsIncompleteAndSaysHowMuchItNeeds) {
  for (const std::string_view whole :
       {"+OK\r\n", "$5\r\nhello\r\n", ":12\r\n", "*2\r\n", "=7\r\ntxt:abc\r\n", "_\r\n"}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      RespToken token;
      std::string_view problem;
      EXPECT_EQ(read_token(whole.substr(0, size), token, problem), TokenStatus::kIncomplete);
      EXPECT_GT(token.size, size);
      EXPECT_LE(token.size, whole.size() + 1);
    }
  }
}

TEST(RespTokenTest, RefusesWhatIsNoProtocol) {
  EXPECT_EQ(token_problem("x\r\n"), "A reply begins with an unknown byte");
  EXPECT_EQ(token_problem("$?\r\n"), "Streamed replies are not supported");
  EXPECT_EQ(token_problem("*?\r\n"), "Streamed replies are not supported");
  EXPECT_EQ(token_problem(";4\r\n"), "Streamed replies are not supported");
  EXPECT_EQ(token_problem("$-2\r\n"), "A length is negative");
  EXPECT_EQ(token_problem("$67108865\r\n"), "A text is longer than 64 MiB");
  EXPECT_EQ(token_problem("$99999999999999999999\r\n"), "Not a length");
  EXPECT_EQ(token_problem("*16777217\r\n"), "An aggregate has more than 16777216 elements");
  EXPECT_EQ(token_problem("%-1\r\n"), "A count is negative");
  EXPECT_EQ(token_problem("$3\r\nabcd\r\n"), "A text does not end where it should");
  EXPECT_EQ(token_problem(":12a\r\n"), "Not an integer");
  EXPECT_EQ(token_problem(":\r\n"), "Not an integer");
  EXPECT_EQ(token_problem(",x\r\n"), "Not a double");
  EXPECT_EQ(token_problem("#x\r\n"), "Not a boolean");
  EXPECT_EQ(token_problem("(1x\r\n"), "Not a big number");
  EXPECT_EQ(token_problem("_x\r\n"), "Not a null");
  EXPECT_EQ(token_problem("=2\r\nab\r\n"), "A verbatim text has no format");
  EXPECT_EQ(token_problem("+a\rb\r\n"), "A carriage return stands alone");
  EXPECT_EQ(token_problem("+a\nb\r\n"), "A line feed stands alone");
  EXPECT_EQ(token_problem("+" + std::string(kRespLineBytesMax, 'a')), "A line is too long");
}

TEST(RespTokenTest, TheFastPathTakesOnlyWholeTexts) {
  const std::string_view whole = "$3\r\nabc\r\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const char* cursor = whole.data();
    const std::string_view text = try_read_bulk(cursor, whole.data() + size);
    EXPECT_EQ(text, size == whole.size() ? "abc" : "");
    EXPECT_EQ(cursor, text.empty() ? whole.data() : whole.data() + whole.size());
  }
  for (const std::string_view other : {"$-1\r\n      ",
                                       "$x\r\nabc\r\n",
                                       ":12345678\r\n",
                                       "$3\r\nabcde\r\n",
                                       "$99999999999999999999999\r\nabc\r\n"}) {
    const char* cursor = other.data();
    EXPECT_EQ(try_read_bulk(cursor, other.data() + other.size()).data(), nullptr) << other;
    EXPECT_EQ(cursor, other.data());
  }
}

}  // namespace
}  // namespace millrace::stores::testing
