// Every line of tests/corpus/http gets its answer: whole, byte by byte, in random splits, and over
// real sockets.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "haproxy_front.h"
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

// HAProxy refuses some cases itself, mends others, and passes the rest on. It and the server must
// agree where a request ends: no byte of one client is answered to another.
TEST_P(CorpusTest, S51_ThroughHaproxyNobodyGetsTheAnswerOfAnother) {
  SocketServer server;
  const HaproxyFront front(server.address());
  for (const CorpusCase& one : read_corpus(GetParam())) {
    SCOPED_TRACE(one.file + ":" + std::to_string(one.line));
    const std::size_t before = server.request_count();
    // Several requests sent together are complete, so their answers need no end of input.
    const std::size_t count = one.through_haproxy ? one.through_haproxy->size() : 0;
    const std::string text = front.ask(one.bytes, count > 1 ? count : 0);
    const std::vector<int> statuses = statuses_of(text, one.bytes.starts_with("HEAD"));
    if (one.through_haproxy) EXPECT_EQ(statuses, *one.through_haproxy) << text;
    const std::size_t sent = std::max<std::size_t>(statuses.size(), 1);
    EXPECT_LE(server.request_count() - before, sent) << "one that nobody sent";
    const std::string path = "/after-" + std::to_string(one.line);
    EXPECT_TRUE(front.ask(net::get(path)).ends_with("\r\n\r\nGET " + path + " ")) << path;
  }
}

TEST(CorpusSizeTest, S51_EightyHeadsAndFortyBodies) {
  EXPECT_GE(read_corpus("heads.txt").size(), 80U);
  EXPECT_GE(read_corpus("bodies.txt").size(), 40U);
}

INSTANTIATE_TEST_SUITE_P(Http, CorpusTest, testing::Values("heads.txt", "bodies.txt"));

}  // namespace
}  // namespace millrace::http_tests
