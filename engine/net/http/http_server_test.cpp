#include "net/http/http_server.h"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "net/fake_peer.h"
#include "net/http/gzip.h"
#include "net/http/http_handler.h"
#include "net/http/http_server_fixture.h"
#include "net/http/http_server_settings.h"

namespace millrace::net {
namespace {

using std::chrono::seconds;

TEST(HttpServerTest, S4_TheLongestIdleConnectionMakesRoom) {
  HttpServerRig rig;
  EXPECT_FALSE(rig.server.try_close_longest_idle());
  EXPECT_FALSE(rig.server.find_longest_idle());
  FakePeer& first = rig.connect();
  rig.send(first, get("/"));
  rig.loop.advance(seconds(1));
  FakePeer& second = rig.connect();
  rig.send(second, get("/"));
  FakePeer& busy = rig.connect();
  rig.send(busy, get("/later"));
  EXPECT_EQ(rig.server.find_longest_idle(), rig.clock.now() - seconds(1));
  rig.loop.advance(seconds(1));
  rig.send(first, get("/"));  // now the second one is idle for a longer time
  EXPECT_EQ(rig.server.find_longest_idle(), rig.clock.now() - seconds(1));
  EXPECT_TRUE(rig.server.try_close_longest_idle());
  EXPECT_FALSE(second.is_open());
  EXPECT_TRUE(first.is_open());
  EXPECT_TRUE(rig.server.try_close_longest_idle());
  EXPECT_FALSE(rig.server.try_close_longest_idle());
  EXPECT_EQ(rig.server.connection_count(), 1U);
  EXPECT_EQ(rig.server.counters().connections.value(), 1);
}

TEST(HttpServerTest, S4_AConnectionThatHasNotAskedYetIsNotIdle) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.loop.advance(std::chrono::milliseconds(4999));
  EXPECT_FALSE(rig.server.find_longest_idle());
  EXPECT_FALSE(rig.server.try_close_longest_idle());
  rig.loop.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(rig.server.find_longest_idle(), rig.clock.now());
  rig.loop.advance(seconds(74));
  EXPECT_TRUE(client.is_open());
  rig.loop.advance(seconds(1));
  EXPECT_FALSE(client.is_open());
}

TEST(HttpServerTest, S7_TooManyInsideAHeadOrBodyAndTheOldestGoes) {
  HttpServerRig rig({.reading_max = 2});
  std::vector<FakePeer*> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(&rig.connect());
    rig.send(*clients.back(),
             i == 1 ? "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n" : "GET");
    rig.loop.advance(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(rig.take(*clients[0]).starts_with("HTTP/1.1 408 "));
  EXPECT_TRUE(rig.take(*clients[1]).starts_with("HTTP/1.1 408 "));
  EXPECT_EQ(rig.take(*clients[2]), "");
  EXPECT_EQ(rig.take(*clients[3]), "");
  EXPECT_EQ(rig.handler.last().gone_status, 408);
}

TEST(HttpServerTest, S9_LargeRepliesAreCompressedForThoseWhoAcceptIt) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  const std::string body(2000, 'x');
  rig.handler.when_request = [&](TestCall& call) { call.reply(200, body); };
  EXPECT_TRUE(
      rig.ask(client, get("/"))
          .starts_with("HTTP/1.1 200 OK\r\nVary: Accept-Encoding\r\nContent-Length: 2000\r\n"));
  std::string packed;
  GzipDeflater().deflate(body, packed);
  const std::string expected =
      "HTTP/1.1 200 OK\r\nVary: Accept-Encoding\r\nContent-Encoding: gzip\r\nContent-Length: " +
      std::to_string(packed.size()) + "\r\n\r\n" + packed;
  EXPECT_EQ(rig.ask(client, get("/", "Accept-Encoding: br, gzip\r\n")), expected);
  rig.handler.when_request = [](TestCall& call) { call.reply(200, std::string(1023, 'x')); };
  EXPECT_EQ(rig.ask(client, get("/", "Accept-Encoding: gzip\r\n")), ok(std::string(1023, 'x')));
}

TEST(HttpServerTest, S9_VeryLargeRepliesAreCompressedByAWorker) {
  base::ManualClock clock;
  loop::FakeLoop worker(clock);
  HttpServerRig rig({}, &worker);
  FakePeer& client = rig.connect();
  const std::string body(20'000, 'x');
  rig.handler.when_request = [&](TestCall& call) { call.reply(200, body); };
  rig.send(client, get("/1", "Accept-Encoding: gzip\r\n") + get("/2"));
  EXPECT_EQ(rig.take(client), "");
  EXPECT_EQ(rig.handler.calls.size(), 1U);
  worker.run_ready();
  rig.loop.run_ready();
  std::string packed;
  GzipDeflater().deflate(body, packed);
  const std::string replies = rig.take(client);
  EXPECT_NE(replies.find("\r\n\r\n" + packed + "HTTP/1.1 200 OK\r\n"), std::string::npos);
  EXPECT_EQ(rig.handler.calls.size(), 2U);
  // Gone while the worker is at it.
  rig.send(client, get("/3", "Accept-Encoding: gzip\r\n"));
  client.reset();
  rig.loop.run_ready();
  worker.run_ready();
  rig.loop.run_ready();
  EXPECT_EQ(rig.server.connection_count(), 0U);
}

TEST(HttpServerTest, ASlowWorkerDoesNotCutOffAReplyBeforeTheBody) {
  base::ManualClock clock;
  loop::FakeLoop worker(clock);
  HttpServerRig rig({}, &worker);
  FakePeer& client = rig.connect();
  rig.handler.when_request = [](TestCall& call) { call.reply(404, std::string(20'000, 'x')); };
  rig.send(client,
           "POST / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\nContent-Length: 5\r\n\r\n12");
  rig.loop.advance(seconds(3));
  worker.run_ready();
  rig.loop.run_ready();
  EXPECT_TRUE(rig.take(client).starts_with("HTTP/1.1 404 Not Found\r\n"));
  rig.handler.when_request = {};
  EXPECT_EQ(rig.ask(client, "345" + get("/")), ok("GET / "));
}

TEST(HttpServerTest, S9_GzipBodiesAreInflatedAndStoppedAtTheLimit) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  std::string packed;
  GzipDeflater deflater;
  deflater.deflate("hello", packed);
  EXPECT_EQ(rig.ask(client, post("/", packed, "Content-Encoding: gzip\r\n")), ok("POST / hello"));
  deflater.deflate(std::string(1000, 'x'), packed);
  EXPECT_EQ(rig.ask(client, post("/", packed, "Content-Encoding: gzip\r\n")),
            ok("POST / " + std::string(1000, 'x')));
  deflater.deflate(std::string(100'000, 'x'), packed);
  ASSERT_LT(packed.size(), 1000U);
  EXPECT_TRUE(rig.ask(client, post("/", packed, "Content-Encoding: gzip\r\n"))
                  .starts_with("HTTP/1.1 413 Content Too Large\r\n"));
  EXPECT_EQ(rig.handler.last().gone_status, 413);
}

TEST(HttpServerTest, DrainingClosesTheIdleAndLetsOthersEnd) {
  HttpServerRig rig;
  FakePeer& idle = rig.connect();
  FakePeer& busy = rig.connect();
  FakePeer& late = rig.connect();
  rig.send(busy, get("/later"));
  rig.server.announce_close();
  EXPECT_EQ(rig.ask(idle, get("/")), ok("GET / ", "Connection: close\r\n"));
  FakePeer& silent = rig.connect();
  rig.loop.advance(seconds(5));
  rig.send(late, "GET /late");
  FakePeer& fresh = rig.connect();
  rig.server.close_idle();
  EXPECT_FALSE(silent.is_open()) << "it had its time";
  EXPECT_EQ(rig.ask(fresh, get("/")), ok("GET / ", "Connection: close\r\n"));
  rig.handler.calls[0]->reply(200, "done");
  EXPECT_EQ(rig.take(busy), ok("done", "Connection: close\r\n"));
  EXPECT_TRUE(busy.saw_end());
  EXPECT_EQ(rig.ask(late, " HTTP/1.1\r\nHost: h\r\n\r\n"),
            ok("GET /late ", "Connection: close\r\n"));
  rig.loop.advance(seconds(1));
  EXPECT_EQ(rig.server.connection_count(), 0U);
}

TEST(HttpServerTest, WhoComesWhileDrainingMustAskSoon) {
  HttpServerRig rig;
  rig.server.close_idle();
  FakePeer& asks = rig.connect();
  FakePeer& waits = rig.connect();
  rig.loop.advance(seconds(4));
  EXPECT_EQ(rig.ask(asks, get("/")), ok("GET / ", "Connection: close\r\n"));
  rig.loop.advance(seconds(1));
  EXPECT_FALSE(waits.is_open());
  EXPECT_EQ(waits.received(), "");
  EXPECT_EQ(rig.server.connection_count(), 0U);
}

TEST(HttpServerTest, ClosingAllGivesUpWhatIsUnderWay) {
  HttpServerRig rig;
  FakePeer& busy = rig.connect();
  (void)rig.connect();
  rig.send(busy, get("/later"));
  rig.server.close_all();
  EXPECT_EQ(rig.handler.last().gone_status, kHttpClientGone);
  EXPECT_EQ(rig.server.connection_count(), 0U);
  EXPECT_FALSE(busy.is_open());
}

TEST(HttpServerTest, AReceiverMayCloseAllConnections) {
  HttpServerRig rig;
  FakePeer& first = rig.connect();
  FakePeer& second = rig.connect();
  rig.send(first, get("/later"));
  rig.send(second, get("/later"));
  rig.handler.when_request = [&](TestCall& call) {
    call.when_body_end = [&](TestCall&) { rig.server.close_all(); };
  };
  FakePeer& third = rig.connect();
  rig.send(third, get("/"));
  EXPECT_EQ(rig.server.connection_count(), 0U);
  EXPECT_EQ(rig.handler.calls[0]->gone_status, kHttpClientGone);
  EXPECT_EQ(rig.handler.calls[1]->gone_status, kHttpClientGone);
  EXPECT_EQ(rig.handler.calls[2]->gone_status, kHttpClientGone);
}

/// Requests take time here, and the loop works in turns.
struct BusyRig : HttpServerRig {
  explicit BusyRig(base::Duration per_request) {
    handler.when_request = [this, per_request](TestCall&) { clock.advance(per_request); };
  }
  /// Connects so many, each of which sends so many requests at once.
  void add_pipelines(int count, int requests) {
    std::string bytes;
    for (int i = 0; i < count; ++i) pipelines.push_back(&connect());
    for (int i = 0; i < count; ++i) {
      std::string bytes;
      for (int k = 0; k < requests; ++k) bytes += get("/many" + std::to_string(i));
      pipelines[static_cast<std::size_t>(i)]->deliver(bytes);
    }
  }
  /// How many requests of others began before that of the client had its answer.
  std::size_t requests_before(FakePeer& client) {
    const std::size_t before = handler.calls.size();
    client.deliver(get("/one"));
    while (client.received().empty()) EXPECT_TRUE(loop.run_turn());
    std::size_t others = 0;
    for (std::size_t i = before; handler.calls[i]->path != "/one"; ++i) ++others;
    (void)client.take_received();
    return others;
  }
  std::vector<FakePeer*> pipelines;
};

constexpr int kPipelines = 50;
constexpr int kPipelined = 40;

TEST(HttpServerTest, ManyPipelinesDelayAnotherClientByOneRequestEach) {
  BusyRig rig(std::chrono::microseconds(100));
  FakePeer& client = rig.connect();
  rig.add_pipelines(kPipelines, kPipelined);
  constexpr std::size_t kPerTurn = kHttpTurnTime / std::chrono::microseconds(100);
  EXPECT_LT(rig.requests_before(client), kPipelines + kPerTurn);
  // What waits then has its time per turn, and no more.
  for (int time = 0; time < 20; ++time) EXPECT_LE(rig.requests_before(client), kPerTurn + 1);
}

TEST(HttpServerTest, PipelinesTakeTurnsAndAllAreAnswered) {
  BusyRig rig(std::chrono::microseconds(600));
  rig.add_pipelines(3, 5);
  while (rig.loop.run_turn()) {
  }
  std::vector<std::size_t> counts;
  for (FakePeer* const peer : rig.pipelines) {
    const std::string text = rig.take(*peer);
    std::size_t count = 0;
    for (std::size_t at = text.find("GET /many"); at != std::string::npos;
         at = text.find("GET /many", at + 1))
      ++count;
    counts.push_back(count);
  }
  EXPECT_EQ(counts, std::vector<std::size_t>(3, 5));
  // No connection had two turns while another one waited.
  EXPECT_EQ(rig.handler.calls.size(), 15U);
  for (std::size_t i = 0; i < 15; ++i)
    EXPECT_EQ(rig.handler.calls[i]->path, "/many" + std::to_string(i % 3)) << i;
}

TEST(HttpServerTest, S47_ARequestThatWaitsForItsTurnIsAnsweredWhenIdleConnectionsEnd) {
  BusyRig rig(std::chrono::microseconds(600));
  rig.add_pipelines(2, 2);
  ASSERT_TRUE(rig.loop.run_turn());
  ASSERT_EQ(rig.handler.calls.size(), 2U);
  EXPECT_EQ(rig.server.idle_count(), 0U);
  rig.server.close_idle();
  rig.loop.run_ready();
  EXPECT_EQ(rig.handler.calls.size(), 4U);
  for (FakePeer* const peer : rig.pipelines) EXPECT_TRUE(peer->saw_end());
}

}  // namespace
}  // namespace millrace::net
