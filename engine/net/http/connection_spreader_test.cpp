#include "net/http/connection_spreader.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "loop/fake_loop.h"
#include "net/fake_listener.h"
#include "net/fake_peer.h"
#include "net/http/http_handler.h"
#include "net/http/http_server.h"
#include "net/http/http_server_fixture.h"

namespace millrace::net {
namespace {

/// A server of several loops that a test makes run.
class SpreadRig {
 public:
  SpreadRig(std::size_t loop_count, std::size_t connections_max)
      : spreader(accepting, connections_max) {
    std::vector<HttpHandler*> handlers;
    for (std::size_t i = 0; i < loop_count; ++i) {
      loops.push_back(std::make_unique<loop::FakeLoop>(clock));
      servers.push_back(std::make_unique<HttpServer>(HttpServer::Parts{.loop = *loops[i]}));
      spreader.add_target(*loops[i], *servers[i]);
      handlers.push_back(&handler);
    }
    port = &spreader.add_port(handlers);
    listener = std::make_unique<FakeListener>(accepting, *port);
    port->set_listener(*listener);
  }
  ~SpreadRig() {
    listener.reset();
    servers.clear();
    run();
  }

  void run() {
    for (bool moved = true; moved;) {
      moved = accepting.run_ready() > 0;
      for (const auto& loop : loops) moved = loop->run_ready() > 0 || moved;
    }
  }
  FakePeer& connect() {
    FakePeer& client = listener->connect();
    run();
    return client;
  }
  void send(FakePeer& client, const std::string& bytes) {
    client.deliver(bytes);
    run();
  }
  [[nodiscard]] std::vector<std::size_t> open() const {
    std::vector<std::size_t> counts;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      EXPECT_EQ(servers[i]->connection_count(), spreader.open_count(i));
      counts.push_back(spreader.open_count(i));
    }
    return counts;
  }

  base::ManualClock clock;
  loop::FakeLoop accepting{clock};
  std::vector<std::unique_ptr<loop::FakeLoop>> loops;
  TestHandler handler;
  ConnectionSpreader spreader;
  std::vector<std::unique_ptr<HttpServer>> servers;
  ConnectionSpreader::Port* port = nullptr;
  std::unique_ptr<FakeListener> listener;
};

using Counts = std::vector<std::size_t>;

TEST(ConnectionSpreaderTest, S3_TheLoopWithTheFewestGetsTheNext) {
  SpreadRig rig(3, 100);
  std::vector<FakePeer*> clients;
  for (int i = 0; i < 7; ++i) {
    clients.push_back(&rig.connect());
    const Counts counts = rig.open();
    EXPECT_LE(std::ranges::max(counts) - std::ranges::min(counts), 1U);
  }
  EXPECT_EQ(rig.open(), (Counts{3, 2, 2}));
  for (const int gone : {0, 3, 6, 1}) clients[static_cast<std::size_t>(gone)]->reset();
  rig.run();
  EXPECT_EQ(rig.open(), (Counts{0, 1, 2}));
  (void)rig.connect();
  (void)rig.connect();
  EXPECT_EQ(rig.open(), (Counts{2, 1, 2})) << "ties go to the first";
  (void)rig.connect();
  EXPECT_EQ(rig.open(), (Counts{2, 2, 2}));
}

TEST(ConnectionSpreaderTest, AStoppedSpreaderLooksAtNoServer) {
  SpreadRig rig(2, 1);
  rig.send(rig.connect(), get("/later"));
  // It waits for room, and every server owes an answer.
  const FakePeer& waiting = rig.connect();
  ASSERT_TRUE(waiting.is_open());
  rig.spreader.stop();
  EXPECT_FALSE(waiting.is_open());
  rig.servers[0]->close_all();
  rig.servers.clear();
  rig.run();
}

TEST(ConnectionSpreaderTest, S3_AConnectionStaysOnItsLoop) {
  SpreadRig rig(2, 100);
  (void)rig.connect();
  FakePeer& second = rig.connect();
  second.deliver(get("/a") + get("/b"));
  rig.accepting.run_ready();
  rig.loops[0]->run_ready();
  EXPECT_TRUE(rig.handler.calls.empty());
  rig.loops[1]->run_ready();
  EXPECT_EQ(rig.handler.calls.size(), 2U);
}

TEST(ConnectionSpreaderTest, S4_TheLongestIdleOfAllLoopsMakesRoom) {
  SpreadRig rig(2, 4);
  std::vector<FakePeer*> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(&rig.connect());
    rig.send(*clients.back(), get("/"));
    rig.clock.advance(std::chrono::seconds(1));
  }
  rig.send(*clients[0], get("/later"));
  FakePeer& fifth = rig.connect();
  EXPECT_FALSE(clients[1]->is_open());
  EXPECT_TRUE(clients[2]->is_open());
  rig.send(fifth, get("/"));
  EXPECT_NE(fifth.received(), "");
  EXPECT_EQ(rig.open(), (Counts{2, 2}));
}

TEST(ConnectionSpreaderTest, S4_WhileNoneIsIdleNewcomersWait) {
  SpreadRig rig(2, 2);
  FakePeer& first = rig.connect();
  FakePeer& second = rig.connect();
  rig.send(first, get("/later"));
  rig.send(second, get("/later"));
  FakePeer& third = rig.connect();
  FakePeer& fourth = rig.connect();
  rig.send(third, get("/"));
  EXPECT_EQ(third.received(), "");
  EXPECT_TRUE(third.is_open());
  EXPECT_EQ(rig.listener->backlog_count(), 1U);
  // An answer makes the first one idle, and so it makes room.
  rig.handler.calls[0]->reply(200, "");
  rig.run();
  EXPECT_FALSE(first.is_open());
  EXPECT_NE(third.received(), "");
  // The third is idle now, so the fourth takes its place.
  EXPECT_FALSE(third.is_open());
  EXPECT_TRUE(fourth.is_open());
  EXPECT_EQ(rig.listener->backlog_count(), 0U);
  EXPECT_EQ(rig.spreader.open_count(), 2U);
}

TEST(ConnectionSpreaderTest, S4_AConnectionIsNotClosedBeforeItHadTimeToAsk) {
  SpreadRig rig(2, 2);
  FakePeer& first = rig.connect();
  FakePeer& second = rig.connect();
  FakePeer& third = rig.connect();
  rig.send(third, get("/"));
  EXPECT_TRUE(first.is_open());
  EXPECT_TRUE(second.is_open());
  EXPECT_EQ(third.received(), "");
  rig.loops[0]->advance(std::chrono::seconds(3));
  rig.run();
  rig.send(second, get("/"));
  EXPECT_NE(second.received(), "") << "it asked in time";
  EXPECT_FALSE(second.is_open()) << "and is idle now";
  EXPECT_NE(third.received(), "");
  FakePeer& fourth = rig.connect();
  EXPECT_FALSE(third.is_open());
  rig.send(fourth, get("/later"));
  // The first says nothing for as long as a head may take, so it counts as idle.
  FakePeer& fifth = rig.connect();
  rig.send(fifth, get("/"));
  EXPECT_TRUE(first.is_open());
  rig.loops[0]->advance(std::chrono::seconds(2));
  rig.run();
  EXPECT_FALSE(first.is_open());
  EXPECT_NE(fifth.received(), "");
}

TEST(ConnectionSpreaderTest, S4_AConnectionThatClosesMakesRoomToo) {
  SpreadRig rig(2, 1);
  FakePeer& first = rig.connect();
  rig.send(first, get("/later"));
  FakePeer& second = rig.connect();
  first.reset();
  rig.run();
  rig.send(second, get("/"));
  EXPECT_NE(second.received(), "");
}

TEST(ConnectionSpreaderTest, S4_ACloseBetweenQuestionAndAnswerIsNotMissed) {
  SpreadRig rig(1, 1);
  FakePeer& first = rig.connect();
  rig.send(first, get("/later"));
  FakePeer& second = rig.listener->connect();
  rig.accepting.run_ready();    // the question is posted
  rig.servers[0]->close_all();  // before it arrives
  rig.run();
  rig.send(second, get("/"));
  EXPECT_NE(second.received(), "");
}

TEST(ConnectionSpreaderTest, S4_WithoutADescriptorTheLongestIdleMakesRoom) {
  SpreadRig rig(2, 100);
  FakePeer& first = rig.connect();
  rig.send(first, get("/"));
  rig.clock.advance(std::chrono::seconds(1));
  FakePeer& second = rig.connect();
  rig.send(second, get("/"));
  int refused_count = 0;
  rig.port->on_refused = [&](const base::Error&) { ++refused_count; };
  rig.listener->fail_accept(base::Error(base::ErrorCode::kResourceExhausted, "none left"));
  FakePeer& third = rig.connect();
  EXPECT_EQ(refused_count, 1);
  EXPECT_FALSE(first.is_open());
  EXPECT_TRUE(second.is_open());
  rig.send(third, get("/"));
  EXPECT_NE(third.received(), "");
}

TEST(ConnectionSpreaderTest, S4_WithoutADescriptorAndConnectionsItTriesAgain) {
  SpreadRig rig(1, 100);
  rig.listener->fail_accept(base::Error(base::ErrorCode::kResourceExhausted, "none left"));
  FakePeer& client = rig.connect();
  rig.send(client, get("/"));
  EXPECT_EQ(client.received(), "");
  rig.accepting.advance(std::chrono::seconds(1));
  rig.run();
  EXPECT_NE(client.received(), "");
}

TEST(ConnectionSpreaderTest, TellsWhenTheListenerHasClosed) {
  SpreadRig rig(1, 100);
  bool closed = false;
  rig.port->on_closed = [&] { closed = true; };
  FakePeer& last = rig.listener->connect();
  rig.listener->close_after_backlog();
  rig.run();
  EXPECT_TRUE(closed);
  rig.send(last, get("/"));
  EXPECT_NE(last.received(), "");
}

}  // namespace
}  // namespace millrace::net
