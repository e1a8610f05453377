#include "net/http_reply_reader.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/result.h"
#include "net/http_message.h"

namespace millrace::net {
namespace {

using base::ErrorCode;
using Progress = HttpReplyReader::Progress;

struct Read {
  base::Result<HttpReply> reply;
  bool keeps_alive = false;
};

/// Feeds `text` in pieces of `split` bytes and, if it wants more then, ends.
Read read(std::string_view text,
          std::size_t split,
          const HttpLimits& limits = {},
          std::string_view method = "GET") {
  HttpReplyReader reader;
  reader.begin(method, limits);
  for (std::size_t at = 0; at < text.size(); at += split) {
    const auto progress = reader.feed(text.substr(at, split));
    if (!progress) return {std::unexpected(progress.error())};
    if (*progress == Progress::kMore) continue;
    if (at + split < text.size()) return {base::fail(ErrorCode::kInternal, "done too early")};
    return {reader.take(), reader.keeps_alive()};
  }
  if (const auto ended = reader.end(); !ended) return {std::unexpected(ended.error())};
  return {reader.take(), reader.keeps_alive()};
}

/// Expects the same reply in every split.
void expect_reply(std::string_view text, int status, std::string_view body, bool keeps_alive) {
  for (std::size_t split = 1; split <= text.size(); ++split) {
    const Read got = read(text, split);
    ASSERT_TRUE(got.reply) << got.reply.error().to_string() << " in pieces of " << split;
    EXPECT_EQ(got.reply->status, status);
    EXPECT_EQ(got.reply->body, body);
    EXPECT_EQ(got.keeps_alive, keeps_alive) << split;
  }
}

void expect_error(std::string_view text, ErrorCode code, std::string_view message) {
  for (const std::size_t split : {std::size_t{1}, std::size_t{3}, text.size()}) {
    const Read got = read(text, split, {.header_bytes_max = 2000, .body_bytes_max = 100});
    ASSERT_FALSE(got.reply) << split;
    EXPECT_EQ(got.reply.error().code(), code) << split;
    EXPECT_TRUE(got.reply.error().message().starts_with(message))
        << got.reply.error().message() << " in pieces of " << split;
  }
}

TEST(HttpReplyReaderTest, ReadsABodyOfKnownLengthInEverySplit) {
  expect_reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello", 200, "hello", true);
  expect_reply("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404, "", true);
  expect_reply("HTTP/1.1 204 No Content\r\n\r\n", 204, "", true);
}

TEST(HttpReplyReaderTest, ReadsChunksInEverySplit) {
  expect_reply(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\nA;name=value\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n",
      200,
      "abc0123456789",
      true);
}

TEST(HttpReplyReaderTest, ABodyWithoutLengthEndsWithTheConnection) {
  expect_reply("HTTP/1.1 200 OK\r\nX: y\r\n\r\nhello", 200, "hello", false);
  expect_reply("HTTP/1.0 200 OK\r\n\r\nhello", 200, "hello", false);
}

TEST(HttpReplyReaderTest, KnowsWhoClosesTheConnection) {
  expect_reply(
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", 200, "x", false);
  expect_reply("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, "x", false);
  expect_reply(
      "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", 200, "x", true);
}

TEST(HttpReplyReaderTest, SkipsInterimReplies) {
  expect_reply(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
      200,
      "ok",
      true);
}

TEST(HttpReplyReaderTest, AReplyToHeadHasNoBody) {
  const Read got = read("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", 7, {}, "HEAD");
  ASSERT_TRUE(got.reply);
  EXPECT_EQ(got.reply->body, "");
}

TEST(HttpReplyReaderTest, KeepsTheFieldsOfTheLastHead) {
  const std::string text =
      "HTTP/1.1 100 Continue\r\nInterim: x\r\n\r\n"
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: 1\r\n\r\n0\r\nTrailer: x\r\n\r\n";
  for (std::size_t split = 1; split <= text.size(); ++split) {
    const Read got = read(text, split);
    ASSERT_TRUE(got.reply) << got.reply.error().to_string();
    EXPECT_EQ(got.reply->fields.size(), 2U);
    EXPECT_EQ(got.reply->fields.find("a"), "1");
  }
}

TEST(HttpReplyReaderTest, IsReadyAgainAfterBegin) {
  HttpReplyReader reader;
  reader.begin("GET", {});
  EXPECT_FALSE(reader.feed("nonsense"));
  for (int i = 0; i < 3; ++i) {
    reader.begin("GET", {});
    EXPECT_FALSE(reader.has_begun());
    EXPECT_EQ(reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n").value(), Progress::kMore);
    EXPECT_TRUE(reader.has_begun());
    EXPECT_EQ(reader.feed("x").value(), Progress::kDone);
    EXPECT_EQ(reader.take().body, "x");
  }
}

TEST(HttpReplyReaderTest, RefusesWhatIsNoHttp) {
  const auto code = ErrorCode::kUnavailable;
  for (const std::string_view text :
       {"SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 xyz\r\n\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n"}) {
    SCOPED_TRACE(text);
    expect_error(text, code, "Bad HTTP reply: ");
  }
}

TEST(HttpReplyReaderTest, RefusesAReplyThatEndsEarly) {
  for (const std::string_view text :
       {"H",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n"}) {
    SCOPED_TRACE(text);
    expect_error(text, ErrorCode::kUnavailable, "Bad HTTP reply: ends early");
  }
}

TEST(HttpReplyReaderTest, RefusesBytesAfterTheEnd) {
  HttpReplyReader reader;
  reader.begin("GET", {});
  const auto progress = reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200");
  ASSERT_FALSE(progress);
  EXPECT_EQ(progress.error().message(), "Bad HTTP reply: bytes after its end");
}

TEST(HttpReplyReaderTest, RefusesAChangeOfProtocol) {
  HttpReplyReader reader;
  reader.begin("GET", {});
  EXPECT_FALSE(
      reader.feed("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"));
}

TEST(HttpReplyReaderTest, BoundsTheBody) {
  const auto code = ErrorCode::kResourceExhausted;
  const std::string message = "HTTP reply too large: its body";
  const std::string head = "HTTP/1.1 200 OK\r\n";
  expect_error(head + "Content-Length: 101\r\n\r\n", code, message);
  expect_error(head + "\r\n" + std::string(101, 'x'), code, message);
  expect_error(
      head + "Transfer-Encoding: chunked\r\n\r\n65\r\n" + std::string(101, 'x'), code, message);
  EXPECT_TRUE(read(head + "\r\n" + std::string(100, 'x'), 1, {.body_bytes_max = 100}).reply);
}

TEST(HttpReplyReaderTest, BoundsEverythingElse) {
  const auto code = ErrorCode::kResourceExhausted;
  const std::string message = "HTTP reply too large: its headers";
  expect_error("HTTP/1.1 200 OK\r\nX: " + std::string(4000, 'x'), code, message);
  expect_error("HTTP/1.1 200 " + std::string(4000, 'x'), code, message);
  std::string many = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 1000; ++i) many += "A: b\r\n";
  expect_error(many, code, message);
  std::string interim;
  for (int i = 0; i < 200; ++i) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  expect_error(interim, code, message);
  expect_error("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(4000, 'x'),
               code,
               message);
}

}  // namespace
}  // namespace millrace::net
