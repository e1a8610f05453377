#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "loop/event_loop.h"
#include "loop/loop_fixture.h"
#include "net/address.h"
#include "net/descriptor.h"
#include "net/http/connection_spreader.h"
#include "net/http/http_handler.h"
#include "net/http/http_server.h"
#include "net/stream_fixture.h"
#include "net/uv_listener.h"

namespace millrace::net {
namespace {

using loop::run_and_wait;

/// Answers at once.
struct QuickHandler final : HttpHandler {
  void on_request(HttpExchange& exchange) override { exchange.reply(200, "x"); }
};

/// Asks twice on one connection. The server may close it in between to make room, and only then.
/// Gives the number of replies.
int ask_twice(const Address& address) {
  const std::string request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  const Descriptor client = RawClient::connect(address);
  if (!client.is_open()) return 0;
  for (int i = 0; i < 2; ++i) {
    (void)::send(client.get(), request.data(), request.size(), MSG_NOSIGNAL);
    std::string reply;
    while (!reply.ends_with("\r\n\r\nx")) {
      const std::string more = RawServer::read(client.get(), 1);
      if (more.empty()) return i;
      reply += more;
    }
  }
  return 2;
}

// More clients at a time than connections are allowed, on three loops: the longest idle make room,
// and everybody who connects is served at least once, or was closed while idle.
TEST(ConnectionSpreaderConcurrencyTest, S4_EverybodyIsServedWhileRoomIsShort) {
  constexpr std::size_t kLoops = 3;
  constexpr std::size_t kConnectionsMax = 4;
  constexpr int kClients = 6;
  constexpr int kRounds = 40;
  std::vector<std::unique_ptr<loop::EventLoop>> loops;
  std::vector<std::unique_ptr<HttpServer>> servers(kLoops);
  std::vector<QuickHandler> handlers(kLoops);
  for (std::size_t i = 0; i < kLoops; ++i) loops.push_back(loop::EventLoop::create("test").value());
  ConnectionSpreader spreader(*loops[0], kConnectionsMax);
  std::vector<HttpHandler*> pointers;
  for (std::size_t i = 0; i < kLoops; ++i) {
    run_and_wait(*loops[i], [&] {
      servers[i] = std::make_unique<HttpServer>(HttpServer::Parts{.loop = *loops[i]});
      spreader.add_target(*loops[i], *servers[i]);
    });
    pointers.push_back(&handlers[i]);
  }
  std::unique_ptr<UvListener> listener;
  run_and_wait(*loops[0], [&] {
    ConnectionSpreader::Port& port = spreader.add_port(pointers);
    listener = UvListener::listen(*loops[0], {.host = "127.0.0.1"}, port).value();
    port.set_listener(*listener);
  });
  std::atomic<int> replies{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) replies += ask_twice(listener->address());
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_GT(replies.load(), 0);
  std::size_t answered = 0;
  for (std::size_t i = 0; i < kLoops; ++i) {
    answered += servers[i]->counters().requests.value();
    EXPECT_GT(servers[i]->counters().accepted.value(), 0U) << "loop " << i;
  }
  EXPECT_GE(answered, static_cast<std::size_t>(replies.load()));
  run_and_wait(*loops[0], [&] { listener.reset(); });
  for (std::size_t i = 0; i < kLoops; ++i) run_and_wait(*loops[i], [&] { servers[i].reset(); });
  EXPECT_EQ(spreader.open_count(), 0U);
  for (std::size_t i = kLoops; i-- > 0;) loops[i]->stop();
}

}  // namespace
}  // namespace millrace::net
