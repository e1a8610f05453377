#include "net/http_reader.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/result.h"
#include "net/http_head.h"
#include "net/http_message.h"

namespace millrace::net {
namespace {

using base::ErrorCode;
using Kind = HttpReader::Kind;

struct BodySink : HttpSink {
  int head_count = 0;
  std::string body;
  std::size_t piece_count = 0;

  void on_head() override {
    EXPECT_TRUE(body.empty());
    ++head_count;
  }
  void on_body(std::string_view piece) override {
    EXPECT_FALSE(piece.empty());
    EXPECT_EQ(head_count, 1);
    body += piece;
    ++piece_count;
  }
};

/// What became of one message, as one text, so that splits can be compared.
std::string read_one(HttpReader& reader,
                     std::string_view text,
                     std::size_t split,
                     const HttpLimits& limits,
                     std::size_t& consumed) {
  BodySink sink;
  reader.begin(limits);
  consumed = 0;
  while (consumed < text.size()) {
    const auto step = reader.feed(text.substr(consumed, split), sink);
    if (!step) {
      consumed = text.size();
      return step.error().message() + " #" + std::to_string(static_cast<int>(reader.problem()));
    }
    consumed += step->consumed;
    if (!step->is_done) continue;
    const HttpRequestHead& head = reader.request_head();
    std::string result = head.method + " " + head.target + " " +
                         std::to_string(head.version.major) + "." +
                         std::to_string(head.version.minor) + "\n";
    head.fields.append_to(result);
    return result + (reader.keeps_alive() ? "keep " : "close ") + sink.body;
  }
  return "unfinished";
}

/// The messages of `text`, in pieces of `split` bytes at most.
std::vector<std::string> read_all(std::string_view text,
                                  std::size_t split,
                                  const HttpLimits& limits = {}) {
  HttpReader reader(Kind::kRequest);
  std::vector<std::string> results;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t consumed = 0;
    results.push_back(read_one(reader, text.substr(at), split, limits, consumed));
    at += consumed;
  }
  return results;
}

/// Expects the same in every split.
void expect_requests(std::string_view text,
                     const std::vector<std::string>& expected,
                     const HttpLimits& limits = {}) {
  for (std::size_t split = 1; split <= text.size(); ++split) {
    EXPECT_EQ(read_all(text, split, limits), expected) << "in pieces of " << split;
  }
}

HttpProblem problem_of(std::string_view text, const HttpLimits& limits = {}) {
  HttpReader reader(Kind::kRequest);
  BodySink sink;
  reader.begin(limits);
  EXPECT_FALSE(reader.feed(text, sink)) << text;
  return reader.problem();
}

TEST(HttpReaderTest, ReadsARequestInEverySplit) {
  expect_requests("GET /a?b=c HTTP/1.1\r\nHost: h\r\nX:  y \t\r\nEmpty:\r\n\r\n",
                  {"GET /a?b=c 1.1\nHost: h\r\nX: y\r\nEmpty: \r\nkeep "});
  expect_requests("POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello",
                  {"POST / 1.0\nContent-Length: 5\r\nclose hello"});
}

TEST(HttpReaderTest, StopsAtTheEndOfEachOfSeveralRequests) {
  expect_requests(
      "GET /1 HTTP/1.1\r\n\r\n"
      "POST /2 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
      "POST /3 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2;x=y\r\nde\r\n1\r\nf\r\n0\r\nTrailer: t\r\n\r\n"
      "GET /4 HTTP/1.1\r\nConnection: close\r\n\r\n",
      {"GET /1 1.1\nkeep ",
       "POST /2 1.1\nContent-Length: 3\r\nkeep abc",
       "POST /3 1.1\nTransfer-Encoding: chunked\r\nkeep def",
       "GET /4 1.1\nConnection: close\r\nclose "});
}

TEST(HttpReaderTest, ARequestToChangeTheProtocolIsReadAsAnyOther) {
  expect_requests(
      "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nGET /2 HTTP/1.1\r\n\r\n",
      {"GET / 1.1\nConnection: Upgrade\r\nUpgrade: h2c\r\nkeep ", "GET /2 1.1\nkeep "});
  expect_requests("CONNECT h:1 HTTP/1.1\r\n\r\n", {"CONNECT h:1 1.1\nkeep "});
}

TEST(HttpReaderTest, TellsTheHeadBeforeTheBodyAndTheBodyAsItComes) {
  HttpReader reader(Kind::kRequest);
  BodySink sink;
  reader.begin({});
  EXPECT_FALSE(reader.has_begun());
  ASSERT_TRUE(reader.feed("POST /x HTTP/1.1\r\nContent-Length: 6\r\n\r\n", sink));
  EXPECT_EQ(sink.head_count, 1);
  EXPECT_EQ(reader.request_head().fields.find("content-length"), "6");
  EXPECT_TRUE(reader.has_begun());
  ASSERT_TRUE(reader.feed("abc", sink));
  EXPECT_EQ(sink.body, "abc");
  const auto last = reader.feed("defGET", sink);
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->is_done);
  EXPECT_EQ(last->consumed, 3U);
  EXPECT_EQ(sink.body, "abcdef");
  EXPECT_EQ(sink.piece_count, 2U);
}

TEST(HttpReaderTest, AProblemIsTheSameInEverySplit) {
  const HttpLimits limits{
      .header_bytes_max = 60, .body_bytes_max = 8, .field_count_max = 2, .target_bytes_max = 20};
  for (const std::string& text :
       {"GET /" + std::string(20, 'x') + " HTTP/1.1\r\n\r\n",
        "GET /" + std::string(20, 'x') + "\x01 HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nX: " + std::string(60, 'x') + "\r\n\r\n",
        "GET / HTTP/1.1\r\nX: " + std::string(60, 'x') + "\x01\r\n\r\n",
        std::string("GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n123456789"),
        std::string("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n4\r\n6789"),
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(30, 'e') + "\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy" + std::string(30, 'e'),
        std::string("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx"),
        std::string("GET / HTTP/3.0\r\n\r\n"),
        std::string("NONSENSE / HTTP/1.1\r\n\r\n")}) {
    SCOPED_TRACE(text);
    const auto whole = read_all(text, text.size(), limits);
    EXPECT_NE(whole.at(0).find('#'), std::string::npos) << whole.at(0);
    for (std::size_t split = 1; split < text.size(); ++split) {
      EXPECT_EQ(read_all(text, split, limits), whole) << "in pieces of " << split;
    }
  }
}

TEST(HttpReaderTest, NamesTheLimitThatWasPassed) {
  const HttpLimits limits{
      .header_bytes_max = 100, .body_bytes_max = 4, .field_count_max = 1, .target_bytes_max = 5};
  EXPECT_EQ(problem_of("GET /12345 HTTP/1.1\r\n", limits), HttpProblem::kTargetSize);
  EXPECT_EQ(problem_of("GET / HTTP/1.1\r\nA: b\r\nA: b\r\n\r\n", limits), HttpProblem::kFieldCount);
  EXPECT_EQ(problem_of("GET / HTTP/1.1\r\nA: " + std::string(100, 'b'), limits),
            HttpProblem::kHeadSize);
  EXPECT_EQ(problem_of(std::string(101, '\n'), limits), HttpProblem::kHeadSize);
  EXPECT_EQ(problem_of("PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", limits),
            HttpProblem::kBodySize);
  HttpReader reader(Kind::kRequest);
  BodySink sink;
  reader.begin(limits);
  const auto step = reader.feed("GET /12345 HTTP/1.1\r\n", sink);
  EXPECT_EQ(step.error().code(), ErrorCode::kResourceExhausted);
  EXPECT_EQ(step.error().message(), "HTTP request too large: its target is over the limit");
}

TEST(HttpReaderTest, ExactlyTheLimitIsAllowed) {
  const std::string text = "PUT /1234 HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody";
  const HttpLimits limits{.header_bytes_max = text.size() - 4,
                          .body_bytes_max = 4,
                          .field_count_max = 1,
                          .target_bytes_max = 5};
  expect_requests(text, {"PUT /1234 1.1\nContent-Length: 4\r\nkeep body"}, limits);
}

TEST(HttpReaderTest, OtherVersionsAreRefused) {
  EXPECT_EQ(problem_of("GET /\r\n\r\n"), HttpProblem::kVersion);
  EXPECT_EQ(problem_of("GET / HTTP/2.0\r\n\r\n"), HttpProblem::kVersion);
  EXPECT_EQ(problem_of("GET / HTTP/9.9\r\n\r\n"), HttpProblem::kVersion);
  EXPECT_EQ(problem_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), HttpProblem::kVersion);
}

// llhttp takes both of these when it is not compiled in its strict mode.
TEST(HttpReaderTest, LlhttpIsStrict) {
  EXPECT_EQ(problem_of("GET / HTTP/1.1\r\nA:\rB: c\r\n\r\n"), HttpProblem::kSyntax);
  EXPECT_EQ(problem_of("GET /\x80 HTTP/1.1\r\n\r\n"), HttpProblem::kSyntax);
}

TEST(HttpReaderTest, FramingThatTwoReadersCouldReadDifferentlyIsRefused) {
  for (const std::string_view text :
       {"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\n",
        "GET / HTTP/1.1\r\nA : b\r\n\r\n"}) {
    EXPECT_EQ(problem_of(text), HttpProblem::kSyntax) << text;
  }
}

TEST(HttpReaderTest, ARequestThatEndsEarlyIsAnError) {
  HttpReader reader(Kind::kRequest);
  BodySink sink;
  reader.begin({});
  ASSERT_TRUE(reader.feed("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc", sink));
  const base::Status ended = reader.end(sink);
  ASSERT_FALSE(ended);
  EXPECT_EQ(reader.problem(), HttpProblem::kEndsEarly);
  EXPECT_EQ(ended.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(ended.error().message(), "Bad HTTP request: ends early");
}

TEST(HttpReaderTest, RepliesHaveAStatusAndFields) {
  HttpReader reader(Kind::kReply);
  BodySink sink;
  reader.begin({});
  const auto step = reader.feed(
      "HTTP/1.1 100 Continue\r\nInterim: x\r\n\r\n"
      "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 2\r\n\r\nno",
      sink);
  ASSERT_TRUE(step);
  EXPECT_TRUE(step->is_done);
  EXPECT_EQ(sink.head_count, 1);
  EXPECT_EQ(reader.reply_head().status, 503);
  EXPECT_EQ(reader.reply_head().version, (HttpVersion{.major = 1, .minor = 1}));
  EXPECT_EQ(reader.reply_head().fields.find("retry-after"), "1");
  EXPECT_FALSE(reader.reply_head().fields.find("interim"));
}

}  // namespace
}  // namespace millrace::net
