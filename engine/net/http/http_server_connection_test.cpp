#include "net/http/http_server_connection.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "net/fake_peer.h"
#include "net/http/http_handler.h"
#include "net/http/http_server.h"
#include "net/http/http_server_fixture.h"
#include "net/http/http_server_settings.h"

namespace millrace::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// All answers to `bytes`, which come in pieces of `piece` bytes.
std::string answers_to(const std::string& bytes, std::size_t piece) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, bytes, piece);
  return rig.take(client) + (client.saw_end() ? "end" : "open");
}

TEST(HttpServerConnectionTest, AnswersWithLengthDateAndKeepsTheConnection) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, post("/a?b=c", "hello"));
  EXPECT_EQ(client.received(),
            "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 13\r\n\r\n"
            "POST /a hello");
  EXPECT_EQ(client.write_count(), 1U);
  EXPECT_FALSE(client.saw_end());
  EXPECT_EQ(rig.server.idle_count(), 1U);
}

TEST(HttpServerConnectionTest, S7_AnySplitGivesTheSameAnswers) {
  std::string bytes = get("/1") + "\r\n" + post("/2", "two") + get("/early") + post("/early", "x");
  bytes += "POST /3 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  bytes += "2;x=y\r\nth\r\n3\r\nree\r\n0\r\nT: x\r\n\r\n";
  bytes += post("/4", "four", "Expect: 100-continue\r\n") + "HEAD /5 HTTP/1.1\r\nHost: h\r\n\r\n";
  bytes += get("/6", "Connection: close\r\n") + get("/7");
  const std::string whole = answers_to(bytes, bytes.size());
  EXPECT_NE(whole.find("GET /6 end"), std::string::npos) << whole;
  EXPECT_EQ(whole.find("/7"), std::string::npos);
  for (std::size_t piece = 1; piece < bytes.size(); ++piece) {
    ASSERT_EQ(answers_to(bytes, piece), whole) << "in pieces of " << piece;
  }
}

TEST(HttpServerConnectionTest, S7_OneRequestAtATimeAndAnswersInOrder) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, get("/later1") + get("/later2") + get("/3"));
  ASSERT_EQ(rig.handler.calls.size(), 1U);
  rig.handler.calls[0]->reply(200, "one");
  EXPECT_EQ(rig.handler.calls.size(), 1U) << "called inside `reply`";
  rig.loop.run_ready();
  ASSERT_EQ(rig.handler.calls.size(), 2U);
  EXPECT_EQ(rig.take(client), ok("one"));
  rig.handler.calls[1]->reply(200, "two");
  rig.loop.run_ready();
  EXPECT_EQ(rig.take(client), ok("two") + ok("GET /3 "));
}

TEST(HttpServerConnectionTest, S7_SixtyFourKibibytesAreReadAhead) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, get("/later"));
  const std::string next = post("/", std::string(900, 'x'));
  std::string more;
  while (more.size() < 3 * kHttpAheadBytesMax) more += next;
  const std::size_t count = more.size() / next.size();
  rig.send(client, more, 1000);
  EXPECT_EQ(rig.server.counters().bytes_in.value(), get("/later").size() + kHttpAheadBytesMax);
  rig.handler.calls[0]->reply(200, "");
  rig.loop.run_ready();
  EXPECT_EQ(rig.handler.calls.size(), count + 1);
  EXPECT_EQ(rig.server.counters().bytes_in.value(), get("/later").size() + more.size());
}

TEST(HttpServerConnectionTest, S7_OldClientsGetACloseUnlessTheyAskForMore) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  EXPECT_EQ(rig.ask(client, "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"),
            ok("GET / ", "Connection: keep-alive\r\n"));
  EXPECT_FALSE(client.saw_end());
  EXPECT_EQ(rig.ask(client, "GET / HTTP/1.0\r\n\r\n"), ok("GET / ", "Connection: close\r\n"));
  EXPECT_TRUE(client.saw_end());
}

TEST(HttpServerConnectionTest, S7_AHeadThatTakesTooLongIsAnswered408) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.loop.advance(seconds(70));
  rig.send(client, "GET / HT");
  rig.loop.advance(seconds(3));
  rig.send(client, "TP/1.1\r\n");
  rig.loop.advance(milliseconds(1999));
  EXPECT_EQ(rig.take(client), "");
  rig.loop.advance(milliseconds(1));
  EXPECT_TRUE(rig.take(client).starts_with("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_TRUE(client.saw_end());
}

TEST(HttpServerConnectionTest, S7_ABodyThatTakesTooLongIsAnswered408) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, "POST /later HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n");
  for (int i = 0; i < 9; ++i) {
    rig.loop.advance(milliseconds(1250 - i));
    if (i < 7) rig.send(client, "x");
  }
  EXPECT_TRUE(rig.take(client).starts_with("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_EQ(rig.handler.last().gone_status, 408);
}

TEST(HttpServerConnectionTest, S7_AnIdleConnectionIsClosedWithoutAWord) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, get("/"));
  rig.loop.advance(seconds(74));
  rig.send(client, "\r\n");  // no request has begun
  rig.send(client, get("/"));
  (void)rig.take(client);
  rig.loop.advance(milliseconds(74'999));
  EXPECT_TRUE(client.is_open());
  rig.loop.advance(milliseconds(1));
  EXPECT_FALSE(client.is_open());
  EXPECT_EQ(client.received(), "");
  EXPECT_EQ(rig.server.connection_count(), 0U);
}

TEST(HttpServerConnectionTest, S7_AClientThatTakesNothingIsGivenUp) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  client.stall_writes(true);
  rig.send(client, get("/pieces"));
  TestCall& call = rig.handler.last();
  call.exchange->begin(200);
  call.exchange->write("x");
  EXPECT_GT(call.exchange->unsent_bytes(), 0U);
  rig.loop.advance(milliseconds(9999));
  EXPECT_EQ(call.gone_status, 0);
  rig.loop.advance(milliseconds(1));
  EXPECT_EQ(call.gone_status, kHttpClientGone);
  EXPECT_FALSE(client.is_open());
}

TEST(HttpServerConnectionTest, ASlowClientThatTakesSomethingIsNot) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, get("/pieces"));
  TestCall& call = rig.handler.last();
  call.exchange->begin(200);
  for (int i = 0; i < 5; ++i) {
    client.stall_writes(true);
    call.exchange->write("x");
    rig.loop.advance(seconds(9));
    client.stall_writes(false);
    rig.loop.run_ready();
  }
  EXPECT_EQ(call.drained_count, 5);
  EXPECT_EQ(call.gone_status, 0);
}

TEST(HttpServerConnectionTest, S8_ContinueIsSaidOnceTheHandlerWantsTheBody) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  const std::string head =
      "POST /later HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: ";
  EXPECT_EQ(rig.ask(client, head + "2\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  rig.send(client, "hi");
  EXPECT_EQ(rig.handler.last().body, "hi");
  rig.handler.last().reply(200, "yes");
  EXPECT_EQ(rig.take(client), ok("yes"));
  EXPECT_TRUE(rig.ask(client, head + "1001\r\n\r\n").starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(client.saw_end());
}

TEST(HttpServerConnectionTest, S8_AFinalAnswerStandsInsteadOfContinue) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  EXPECT_EQ(
      rig.ask(
          client,
          "POST /early HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"),
      "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\nConnection: close\r\n\r\nearly");
  EXPECT_TRUE(client.saw_end());
}

TEST(HttpServerConnectionTest, S8_AnotherExpectationIsAnswered417) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  EXPECT_TRUE(rig.ask(client, post("/", "x", "Expect: more\r\n")).starts_with("HTTP/1.1 417 "));
  EXPECT_TRUE(rig.handler.calls.empty());
}

TEST(HttpServerConnectionTest, S10_AnAnswerBeforeTheBodyDropsAShortOne) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, "POST /early HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n12");
  EXPECT_EQ(rig.take(client), "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nearly");
  EXPECT_EQ(rig.ask(client, "345" + get("/next")), ok("GET /next "));
}

TEST(HttpServerConnectionTest, S10_TheRestOfAShortBodyMayTakeASecond) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, "POST /early HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n1");
  for (int i = 0; i < 3; ++i) {
    rig.loop.advance(milliseconds(333));
    rig.send(client, "2");
  }
  EXPECT_TRUE(client.is_open());
  rig.loop.advance(milliseconds(1));
  EXPECT_FALSE(client.is_open());
}

TEST(HttpServerConnectionTest, S10_AfterAnErrorInputIsDroppedForASecond) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, "nonsense\r\n\r\n");
  EXPECT_TRUE(rig.take(client).starts_with("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_TRUE(client.saw_end());
  rig.send(client, get("/"));
  rig.loop.advance(milliseconds(999));
  EXPECT_TRUE(client.is_open());
  rig.loop.advance(milliseconds(1));
  EXPECT_FALSE(client.is_open());
  EXPECT_TRUE(rig.handler.calls.empty());
}

TEST(HttpServerConnectionTest, S10_AfterAnError256KibibytesAreDropped) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, "POST /early HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(rig.take(client),
            "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\nConnection: close\r\n\r\nearly");
  rig.send(client, std::string(kHttpLingerBytesMax, 'x'), 1 << 16);
  EXPECT_TRUE(client.is_open());
  rig.send(client, "x");
  EXPECT_FALSE(client.is_open());
}

TEST(HttpServerConnectionTest, S10_TheAnswerReachesAClientThatReadsSlowly) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  client.stall_writes(true);
  rig.send(client, "nonsense\r\n\r\n");
  rig.loop.advance(seconds(9));
  client.stall_writes(false);
  rig.loop.run_ready();
  EXPECT_TRUE(rig.take(client).starts_with("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_TRUE(client.saw_end());
  rig.loop.advance(seconds(1));
  EXPECT_FALSE(client.is_open());
}

TEST(HttpServerConnectionTest, S11_AClientThatEndsItsSideHasGivenUp) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, get("/later"));
  client.half_close();
  rig.loop.run_ready();
  EXPECT_EQ(rig.handler.last().gone_status, kHttpClientGone);
  EXPECT_FALSE(client.is_open());
  EXPECT_EQ(rig.server.counters().gone.value(), 1U);
}

TEST(HttpServerConnectionTest, S11_AResetGivesUpToo) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, get("/later"));
  client.reset();
  rig.loop.run_ready();
  EXPECT_EQ(rig.handler.last().gone_status, kHttpClientGone);
  EXPECT_EQ(rig.server.connection_count(), 0U);
}

TEST(HttpServerConnectionTest, S11_ASwitchLetsHalfClosedClientsHaveTheirAnswers) {
  HttpServerRig rig({.abort_on_half_close = false});
  FakePeer& client = rig.connect();
  rig.send(client, get("/later") + get("/2"));
  client.half_close();
  rig.loop.run_ready();
  rig.handler.calls[0]->reply(200, "late");
  rig.loop.run_ready();
  EXPECT_EQ(rig.take(client), ok("late") + ok("GET /2 "));
  EXPECT_TRUE(client.saw_end());
  EXPECT_EQ(rig.server.connection_count(), 0U);
}

TEST(HttpServerConnectionTest, S11_ABodyThatCannotCompleteIsGivenUpInAnyCase) {
  HttpServerRig rig({.abort_on_half_close = false});
  FakePeer& client = rig.connect();
  rig.send(client, "POST /later HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n12");
  client.half_close();
  rig.loop.run_ready();
  EXPECT_EQ(rig.handler.last().gone_status, kHttpClientGone);
}

TEST(HttpServerConnectionTest, AnEndBetweenRequestsClosesInGoodOrder) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, get("/"));
  client.half_close();
  rig.loop.run_ready();
  EXPECT_EQ(rig.take(client), ok("GET / "));
  EXPECT_TRUE(client.saw_end());
  EXPECT_EQ(rig.server.connection_count(), 0U);
  EXPECT_EQ(rig.server.counters().gone.value(), 0U);
}

TEST(HttpServerConnectionTest, AnswersWhileTheBodyStillComes) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, "POST /pieces HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  TestCall& call = rig.handler.last();
  call.exchange->begin(200);
  call.when_piece = [](TestCall& told) { told.exchange->write("got it"); };
  (void)rig.take(client);
  EXPECT_EQ(rig.ask(client, "1\r\na\r\n"), "6\r\ngot it\r\n");
  EXPECT_EQ(rig.ask(client, "2\r\nbc\r\n0\r\n\r\n"), "6\r\ngot it\r\n");
  EXPECT_TRUE(call.body_ended);
  EXPECT_EQ(call.body, "a|bc|");
  call.take().finish();
  EXPECT_EQ(rig.ask(client, get("/")), "0\r\n\r\n" + ok("GET / "));
}

TEST(HttpServerConnectionTest, ABrokenBodyBreaksOffAReplyThatHasBegun) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, "POST /pieces HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  rig.handler.last().exchange->begin(200);
  rig.send(client, "nonsense");
  EXPECT_EQ(rig.handler.last().gone_status, 400);
  EXPECT_FALSE(client.is_open());
  EXPECT_EQ(rig.take(client).find("0\r\n\r\n"), std::string::npos);
}

TEST(HttpServerConnectionTest, AHandlerMayEndTheConnection) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, get("/later"));
  rig.handler.last().exchange->close_after_reply();
  rig.handler.last().reply(200, "");
  EXPECT_EQ(rig.take(client), ok("", "Connection: close\r\n"));
  EXPECT_TRUE(client.saw_end());
}

TEST(HttpServerConnectionTest, AClientThatDoesNotReadStopsItsOwnPipeline) {
  HttpServerRig rig;
  rig.handler.body_bytes_max = 100'000;
  FakePeer& client = rig.connect();
  client.stall_writes(true);
  const std::string request = post("/", std::string(10'000, 'x'));
  for (int i = 0; i < 20; ++i) client.deliver(request);
  rig.loop.run_ready();
  EXPECT_EQ(rig.handler.calls.size(), kHttpUnsentBytesMax / 10'000 + 1);
  client.stall_writes(false);
  rig.loop.run_ready();
  EXPECT_EQ(rig.handler.calls.size(), 20U);
}

TEST(HttpServerConnectionTest, TimesOfARequestAreKept) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  const auto start = rig.clock.now();
  rig.send(client, "POST /later HTTP/1.1\r\nHost: h\r\n");
  rig.loop.advance(seconds(1));
  rig.send(client, "Content-Length: 1\r\n\r\n");
  rig.loop.advance(seconds(2));
  rig.send(client, "x");
  const HttpTimes& times = rig.handler.last().exchange->times();
  EXPECT_EQ(times.first_byte, start);
  EXPECT_EQ(times.head_end, start + seconds(1));
  EXPECT_EQ(times.body_end, start + seconds(3));
}

}  // namespace
}  // namespace millrace::net
