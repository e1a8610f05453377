#include "net/http/http_framing.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace millrace::net {
namespace {

/// What the framing says of `text` in pieces of `piece` bytes: letters for the part of each byte,
/// then `.` for the end of a request or the status of a refusal.
std::string parts_of(std::string_view text, std::size_t piece) {
  HttpFraming framing;
  std::string parts;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    std::string_view bytes = text.substr(at, piece);
    while (!bytes.empty()) {
      const HttpFraming::Segment segment = framing.next(bytes);
      constexpr std::string_view kLetters = "hb-e";
      parts.append(segment.size, kLetters[static_cast<std::size_t>(segment.part)]);
      bytes.remove_prefix(segment.size);
      if (framing.refusal() != nullptr) return parts + std::to_string(framing.refusal()->status);
      if (!framing.is_complete()) continue;
      parts += '.';
      framing.begin();
    }
  }
  return parts;
}

TEST(HttpFramingTest, SaysWhichPartEveryByteBelongsTo) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  const std::string by_length = head + "Content-Length: 3\r\n\r\n";
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string text = head + "\r\n" + by_length + "abc" + chunked +
                           "3;e\r\nabc\r\n0\r\nT: x\r\n\r\n" + head + "\r\n";
  const std::string expected = std::string(head.size() + 2, 'h') + "." +
                               std::string(by_length.size(), 'h') + "bbb." +
                               std::string(chunked.size(), 'h') + "-ee--bbb-------------" + "." +
                               std::string(head.size() + 2, 'h') + ".";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_EQ(parts_of(text, piece), expected) << "in pieces of " << piece;
  }
}

// tests/corpus/http has a line for every rule; this is about the place of the refusal.
TEST(HttpFramingTest, S6_TheRefusedByteIsTheSameInEverySplit) {
  for (const std::string_view text : {"GET / HTTP/1.1\nHost: h\r\n\r\n",
                                      "GET / HTTP/1.1\r\nHost : h\r\n\r\n",
                                      "GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n",
                                      "GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n",
                                      "GET / HTTP/1.1\r\n\r\n",
                                      "GET / HTTP/2.0\r\n\r\n",
                                      "BREW / HTTP/1.1\r\n\r\n",
                                      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1x\r\n\r\n",
                                      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked"
                                      "\r\n\r\n1\r\nx\n0\r\n\r\n"}) {
    const std::string whole = parts_of(text, text.size());
    EXPECT_NE(whole.find_first_of("45"), std::string::npos) << text;
    for (std::size_t piece = 1; piece < text.size(); ++piece) {
      EXPECT_EQ(parts_of(text, piece), whole) << text << " in pieces of " << piece;
    }
  }
}

TEST(HttpFramingTest, KnowsTheLengthAfterTheHead) {
  HttpFraming framing;
  EXPECT_FALSE(framing.has_begun());
  (void)framing.next("\r\n");
  EXPECT_FALSE(framing.has_begun());
  EXPECT_TRUE(framing.is_in_method());
  (void)framing.next("POST ");
  EXPECT_TRUE(framing.has_begun());
  EXPECT_FALSE(framing.is_in_method());
  (void)framing.next("/ HTTP/1.1\r\nHost: h\r\nContent-Length: 999999999999999\r\n\r\n");
  EXPECT_TRUE(framing.is_head_complete());
  EXPECT_EQ(framing.body_length(), 999'999'999'999'999U);
  framing.begin();
  EXPECT_FALSE(framing.has_begun());
  (void)framing.next("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_FALSE(framing.body_length());
}

}  // namespace
}  // namespace millrace::net
