#include "net/http/http_request_reader.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "net/http_head.h"
#include "net/http_message.h"

namespace millrace::net {
namespace {

using Event = HttpRequestReader::Event;

/// All that comes of `text` in pieces, as one text.
std::string events_of(std::string_view text, std::size_t piece, const HttpLimits& limits = {}) {
  HttpRequestReader reader(limits);
  std::string seen;
  std::string body;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    std::string_view bytes = text.substr(at, piece);
    while (true) {
      const auto step = reader.next(bytes);
      bytes.remove_prefix(step.consumed);
      if (step.event == Event::kNeedMore) break;
      if (step.event == Event::kRefused) {
        return seen + body + std::to_string(reader.refusal().status);
      }
      if (step.event == Event::kHead) {
        seen += reader.head().method + " " + reader.head().target + "\n";
        reader.head().fields.append_to(seen);
        seen += reader.keeps_alive() ? "keep\n" : "close\n";
      }
      body += step.piece;
      if (step.event != Event::kComplete) continue;
      seen += body + ".";
      body.clear();
      reader.begin();
    }
  }
  return seen + body;
}

void expect_events(std::string_view text,
                   std::string_view expected,
                   const HttpLimits& limits = {}) {
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    ASSERT_EQ(events_of(text, piece, limits), expected) << text << " in pieces of " << piece;
  }
}

TEST(HttpRequestReaderTest, S7_ReadsRequestsInEverySplit) {
  expect_events(
      "\r\nGET /1?q HTTP/1.1\r\nHost: h\r\nX:  a \r\n\r\n"
      "POST /2 HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc"
      "PUT /3 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2;e\r\nde\r\n1\r\nf\r\n0\r\nT: t\r\n\r\n",
      "GET /1?q\nHost: h\r\nX: a\r\nkeep\n.POST /2\nContent-Length: 3\r\nclose\nabc."
      "PUT /3\nHost: h\r\nTransfer-Encoding: chunked\r\nkeep\ndef.");
}

TEST(HttpRequestReaderTest, S7_LimitsAreTheSameInEverySplit) {
  const HttpLimits limits{.header_bytes_max = 60, .field_count_max = 2, .target_bytes_max = 10};
  expect_events(
      "GET /23456789a HTTP/1.1\r\nHost: h\r\n\r\n", "GET /23456789a\nHost: h\r\nkeep\n.", limits);
  expect_events("GET /23456789ab HTTP/1.1\r\nHost: h\r\n\r\n", "414", limits);
  expect_events("GET / HTTP/1.1\r\nHost: h\r\nA: 1\r\nB: 2\r\n\r\n", "431", limits);
  expect_events("GET / HTTP/1.1\r\nHost: h\r\nA: " + std::string(40, 'x'), "431", limits);
  expect_events(std::string(62, '\r'), "400", limits);
  std::string empty_lines;
  for (int i = 0; i < 40; ++i) empty_lines += "\r\n";
  expect_events(empty_lines, "431", limits);
  expect_events(empty_lines + "\n", "431", limits);
  expect_events(empty_lines.substr(0, 58) + "\n", "400", limits);
  expect_events(std::string(61, 'A') + " / HTTP/1.1\r\n", "431", limits);
  expect_events(std::string(59, 'A') + " / HTTP/1.1\r\n", "501", limits);
}

TEST(HttpRequestReaderTest, S6_TheFirstProblemCounts) {
  const HttpLimits limits{.target_bytes_max = 4};
  expect_events("GET /long HTTP/1.1\nHost: h\r\n\r\n", "414", limits);
  expect_events("GET /lon\x01g HTTP/1.1\r\nHost: h\r\n\r\n", "400", limits);
  expect_events("GET\x01/ HTTP/1.1\r\nHost: h\r\n\r\n", "400", limits);
  expect_events("FETCH / HTTP/3.0\r\n\r\n", "501", limits);
}

TEST(HttpRequestReaderTest, TellsABodyBeforeItIsComplete) {
  HttpRequestReader reader({});
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n";
  auto step = reader.next(head + "ab");
  EXPECT_EQ(step.event, Event::kHead);
  EXPECT_EQ(step.consumed, head.size());
  EXPECT_EQ(reader.body_length(), 4U);
  EXPECT_EQ(reader.next("").event, Event::kNeedMore);
  step = reader.next("ab");
  EXPECT_EQ(step.event, Event::kBody);
  EXPECT_EQ(step.piece, "ab");
  step = reader.next("cdGET");
  EXPECT_EQ(step.event, Event::kBody);
  EXPECT_EQ(step.consumed, 2U);
  step = reader.next("GET");
  EXPECT_EQ(step.event, Event::kComplete);
  EXPECT_EQ(step.consumed, 0U);
}

TEST(HttpRequestReaderTest, AfterReleasingMemoryItReadsOn) {
  HttpRequestReader reader({});
  EXPECT_EQ(reader.next("GET /a HTTP/1.1\r\nHost: h\r\n\r\n").event, Event::kHead);
  EXPECT_EQ(reader.next("").event, Event::kComplete);
  reader.release_memory();
  reader.begin();
  EXPECT_EQ(reader.next("GET /b HTTP/1.1\r\nHost: h\r\n\r\n").event, Event::kHead);
  EXPECT_EQ(reader.head().target, "/b");
}

}  // namespace
}  // namespace millrace::net
