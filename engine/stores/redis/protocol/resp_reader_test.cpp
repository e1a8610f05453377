#include "stores/redis/protocol/resp_reader.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/redis/protocol/resp_value.h"
#include "stores/redis/redis_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::ElementsAre;

struct Reading {
  std::vector<std::string> replies;
  std::vector<std::string> pushes;
  std::string problem;
};

/// Shows the bytes piece by piece, as a connection does.
Reading read_in_pieces(std::string_view bytes, std::size_t first, std::size_t rest) {
  Reading out;
  RespReader reader;
  RespTreeSink replies;
  RespTreeSink pushes;
  std::string unread;
  std::size_t shown = 0;
  while (shown < bytes.size()) {
    const std::size_t piece = shown == 0 ? first : rest;
    unread += bytes.substr(shown, piece);
    shown += piece;
    for (;;) {
      const RespReader::Step step = reader.read(unread, replies, pushes);
      unread.erase(0, step.consumed);
      if (step.status == ReadStatus::kBroken) {
        out.problem = reader.problem();
        return out;
      }
      if (step.status == ReadStatus::kWanting) break;
    }
  }
  for (const RespValue& value : replies.values) out.replies.push_back(value.to_string());
  for (const RespValue& value : pushes.values) out.pushes.push_back(value.to_string());
  return out;
}

constexpr std::string_view kStream =
    "+OK\r\n"
    "*3\r\n$1\r\na\r\n$-1\r\n:7\r\n"
    ">2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n"
    "%2\r\n+x\r\n#t\r\n+y\r\n,2.5\r\n"
    "|1\r\n+ttl\r\n*2\r\n:1\r\n:2\r\n$2\r\nhi\r\n"
    "*0\r\n"
    "*2\r\n|1\r\n+a\r\n+b\r\n*1\r\n*1\r\n_\r\n~1\r\n(12\r\n"
    "-ERR no\r\n";

TEST(RespReaderTest, ReadsRepliesPushesAndOverAttributes) {
  const Reading reading = read_in_pieces(kStream, kStream.size(), 1);
  EXPECT_THAT(reading.replies,
              ElementsAre(R"("OK")",
                          R"(["a", null, 7])",
                          R"(map["x", true, "y", 2.5])",
                          R"("hi")",
                          "[]",
                          R"([[[null]], set["12"]])",
                          R"(error "ERR no")"));
  EXPECT_THAT(reading.pushes, ElementsAre(R"(push["invalidate", ["k"]])"));
}

TEST(RespReaderTest, TheSameForEverySplit) {
  const Reading whole = read_in_pieces(kStream, kStream.size(), 1);
  for (std::size_t first = 1; first < kStream.size(); ++first) {
    const Reading split = read_in_pieces(kStream, first, kStream.size());
    EXPECT_EQ(split.replies, whole.replies) << first;
    EXPECT_EQ(split.pushes, whole.pushes) << first;
  }
  const Reading bytes = read_in_pieces(kStream, 1, 1);
  EXPECT_EQ(bytes.replies, whole.replies);
  EXPECT_EQ(bytes.pushes, whole.pushes);
}

TEST(RespReaderTest, DepthIsBounded) {
  std::string deep;
  for (std::size_t i = 0; i < RespReader::kDepthMax; ++i) deep += "*1\r\n";
  EXPECT_EQ(read_in_pieces(deep + ":1\r\n", 5, 5).problem, "");
  EXPECT_EQ(read_in_pieces(deep + "*1\r\n", 5, 5).problem, "A reply is nested deeper than 16");
}

TEST(RespReaderTest, APushInsideAReplyIsRefused) {
  EXPECT_EQ(read_in_pieces("*1\r\n>1\r\n+x\r\n", 99, 1).problem, "A push stands inside a reply");
}

TEST(RespReaderTest, SaysHowManyBytesItNeeds) {
  RespReader reader;
  RespTreeSink sink;
  const RespReader::Step step = reader.read("*1\r\n$100\r\nabc", sink, sink);
  EXPECT_EQ(step.status, ReadStatus::kWanting);
  EXPECT_EQ(step.consumed, 4U);
  EXPECT_TRUE(reader.is_inside());
  EXPECT_EQ(reader.bytes_wanted(), 6U + 100 + 2);
}

}  // namespace
}  // namespace millrace::stores::testing
