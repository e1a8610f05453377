#include "net/http/http_body_reader.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "net/http/gzip.h"
#include "net/http/http_coding.h"
#include "net/http/http_handler.h"

namespace millrace::net {
namespace {

std::string gzip_of(std::string_view text) {
  std::string packed;
  GzipDeflater().deflate(text, packed);
  return packed;
}

TEST(HttpBodyReaderTest, S9_AGzipBombIsStoppedAtTheLimit) {
  HttpBodyReader body;
  const std::string bomb = gzip_of(std::string(10'000'000, '0'));
  ASSERT_LT(bomb.size(), 50'000U);
  body.begin(HttpContentCoding::kGzip, 100'000);
  std::size_t seen = 0;
  const HttpRefusal* const reason = body.take(bomb, [&](std::string_view piece) {
    seen += piece.size();
    return true;
  });
  ASSERT_NE(reason, nullptr);
  EXPECT_EQ(reason->status, 413);
  EXPECT_LE(seen, 100'000U);
}

TEST(HttpBodyReaderTest, ReceiversMayStopInTheMiddle) {
  HttpBodyReader body;
  body.begin(HttpContentCoding::kGzip, 1'000'000);
  int calls = 0;
  EXPECT_EQ(
      body.take(gzip_of(std::string(100'000, 'x')), [&](std::string_view) { return ++calls < 2; }),
      nullptr);
  EXPECT_EQ(calls, 2);
}

TEST(HttpBodyReaderTest, PlainBodiesAreCountedToo) {
  HttpBodyReader body;
  std::string text;
  const auto deliver = [&](std::string_view piece) {
    text += piece;
    return true;
  };
  body.begin(HttpContentCoding::kIdentity, 5);
  EXPECT_EQ(body.take("abc", deliver), nullptr);
  EXPECT_EQ(body.take("de", deliver), nullptr);
  EXPECT_EQ(body.check_complete(), nullptr);
  EXPECT_NE(body.take("f", deliver), nullptr);
  EXPECT_EQ(text, "abcde");
}

TEST(HttpBodyReaderTest, S9_ACutGzipBodyIsRefused) {
  HttpBodyReader body;
  body.begin(HttpContentCoding::kGzip, 100);
  const std::string packed = gzip_of("hello");
  const auto deliver = [](std::string_view) { return true; };
  EXPECT_EQ(body.take(packed.substr(0, packed.size() - 1), deliver), nullptr);
  ASSERT_NE(body.check_complete(), nullptr);
  EXPECT_EQ(body.check_complete()->status, 400);
  EXPECT_EQ(body.take(packed.substr(packed.size() - 1), deliver), nullptr);
  EXPECT_EQ(body.check_complete(), nullptr);
}

}  // namespace
}  // namespace millrace::net
