// Every line of tests/corpus/http gets its answer: whole, byte by byte, in random splits, and over
// real sockets.

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "http_corpus.h"
#include "net/fake_peer.h"
#include "net/http/http_server_fixture.h"
#include "socket_server.h"

namespace millrace::http_tests {
namespace {

struct Answered {
  std::string text;
  bool closed = false;
};

/// What a server answers to bytes that come in pieces; `next_size` says how long each is.
template <class NextSize>
Answered answer(const std::string& bytes, NextSize next_size) {
  net::HttpServerRig rig;
  net::FakePeer& client = rig.connect();
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = next_size();
    client.deliver(bytes.substr(at, size));
    at += size;
  }
  rig.loop.run_ready();
  Answered answered{.text = rig.take(client), .closed = client.saw_end()};
  if (answered.closed) {
    EXPECT_NE(answered.text.find("Connection: close\r\n"), std::string::npos);
  }
  return answered;
}

class CorpusTest : public testing::TestWithParam<const char*> {};

TEST_P(CorpusTest, S6_EveryRequestGetsItsStatus) {
  for (const CorpusCase& one : read_corpus(GetParam())) {
    SCOPED_TRACE(one.file + ":" + std::to_string(one.line));
    const Answered whole = answer(one.bytes, [&] { return one.bytes.size(); });
    EXPECT_EQ(statuses_of(whole.text, one.bytes.starts_with("HEAD")), one.statuses) << whole.text;
    EXPECT_EQ(whole.closed, one.closes) << whole.text;
  }
}

TEST_P(CorpusTest, S7_AnySplitGivesTheSameAnswers) {
  base::SplitMix64 random(7);
  for (const CorpusCase& one : read_corpus(GetParam())) {
    SCOPED_TRACE(one.file + ":" + std::to_string(one.line));
    const Answered whole = answer(one.bytes, [&] { return one.bytes.size(); });
    const Answered bytewise = answer(one.bytes, [] { return std::size_t{1}; });
    EXPECT_EQ(bytewise.text, whole.text);
    EXPECT_EQ(bytewise.closed, whole.closed);
    for (int i = 0; i < 20; ++i) {
      const Answered split = answer(one.bytes, [&] { return 1 + random.next() % 40; });
      EXPECT_EQ(split.text, whole.text);
      EXPECT_EQ(split.closed, whole.closed);
    }
  }
}

TEST_P(CorpusTest, S6_SocketsGiveTheSameStatus) {
  SocketServer server;
  for (const CorpusCase& one : read_corpus(GetParam())) {
    SCOPED_TRACE(one.file + ":" + std::to_string(one.line));
    const std::string text = server.ask(one.bytes, one.statuses.size(), one.closes);
    EXPECT_EQ(statuses_of(text, one.bytes.starts_with("HEAD")), one.statuses) << text;
  }
}

TEST(CorpusSizeTest, EightyHeadsAndFortyBodies) {
  EXPECT_GE(read_corpus("heads.txt").size(), 80U);
  EXPECT_GE(read_corpus("bodies.txt").size(), 40U);
}

INSTANTIATE_TEST_SUITE_P(Http, CorpusTest, testing::Values("heads.txt", "bodies.txt"));

}  // namespace
}  // namespace millrace::http_tests
