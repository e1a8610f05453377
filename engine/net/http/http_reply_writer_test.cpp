#include "net/http/http_reply_writer.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "base/wall_clock.h"
#include "net/http_head.h"

namespace millrace::net {
namespace {

TEST(HttpReplyWriterTest, WritesTheHead) {
  HttpFields fields;
  fields.add("Content-Type", "application/json");
  std::string text;
  append_reply_head(text, {.status = 503, .body_bytes = 12, .closes = true, .date = "now"}, fields);
  EXPECT_EQ(text,
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nDate: now\r\n"
            "Content-Length: 12\r\nConnection: close\r\n\r\n");
  text.clear();
  append_reply_head(
      text, {.status = 299, .framing = HttpBodyFraming::kChunks, .says_keep_alive = true}, {});
  EXPECT_EQ(text, "HTTP/1.1 299 \r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n");
  text.clear();
  append_reply_head(text, {.status = 304, .framing = HttpBodyFraming::kNone}, {});
  EXPECT_EQ(text, "HTTP/1.1 304 Not Modified\r\n\r\n");
}

TEST(HttpReplyWriterTest, PhrasesAreFound) {
  EXPECT_EQ(http_reason_phrase(100), "Continue");
  EXPECT_EQ(http_reason_phrase(422), "Unprocessable Content");
  EXPECT_EQ(http_reason_phrase(505), "HTTP Version Not Supported");
  EXPECT_EQ(http_reason_phrase(99), "");
  EXPECT_EQ(http_reason_phrase(600), "");
}

TEST(HttpReplyWriterTest, AnEmptyChunkIsLeftOut) {
  std::string text;
  append_chunk(text, std::string(255, 'x'));
  EXPECT_TRUE(text.starts_with("ff\r\nxx"));
  EXPECT_TRUE(text.ends_with("xx\r\n"));
  text.clear();
  append_chunk(text, "");
  EXPECT_EQ(text, "");
}

TEST(HttpReplyWriterTest, TheDateIsMadeOncePerSecond) {
  HttpDate date;
  const base::WallTime time(std::chrono::seconds(784111777));
  EXPECT_EQ(date.at(time), "Sun, 06 Nov 1994 08:49:37 GMT");
  const char* const place = date.at(time + std::chrono::milliseconds(999)).data();
  EXPECT_EQ(date.at(time + std::chrono::milliseconds(998)).data(), place);
  EXPECT_EQ(date.at(time + std::chrono::seconds(1)), "Sun, 06 Nov 1994 08:49:38 GMT");
  EXPECT_EQ(date.at({}), "Thu, 01 Jan 1970 00:00:00 GMT");
}

}  // namespace
}  // namespace millrace::net
