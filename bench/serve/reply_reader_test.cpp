#include "bench/serve/reply_reader.h"

#include <string>

#include <gtest/gtest.h>

namespace millrace::bench {
namespace {

TEST(ReplyReaderTest, ReadsAReplyInPieces) {
  const std::string text = "HTTP/1.1 503 Busy\r\nDate: x\r\nContent-Length: 4\r\nA: b\r\n\r\nbusy";
  ReplyReader reader;
  for (std::size_t size = 0; size < text.size(); ++size) {
    ASSERT_FALSE(reader.is_complete()) << size;
    ASSERT_TRUE(reader.take(std::string_view(text).substr(size, 1)));
  }
  ASSERT_TRUE(reader.is_complete());
  EXPECT_EQ(reader.status(), 503);
  EXPECT_EQ(reader.body(), "busy");
  reader.clear();
  EXPECT_FALSE(reader.is_complete());
}

TEST(ReplyReaderTest, RefusesWhatHasNoLength) {
  EXPECT_FALSE(ReplyReader().take("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
  EXPECT_FALSE(ReplyReader().take("SSH-2.0\r\nContent-Length: 4\r\n\r\n"));
  EXPECT_FALSE(ReplyReader().take("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"));
}

}  // namespace
}  // namespace millrace::bench
