#include "nats/socket_thread.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nats/library_link.h"

namespace millrace::nats {
namespace {

/// As much of a server of NATS as a connection needs, whose socket the test reads.
class Peer {
 public:
  Peer() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_, generic, size), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    EXPECT_EQ(::getsockname(listener_, generic, &size), 0);
    url_ = "nats://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~Peer() {
    ::close(socket_);
    ::close(listener_);
  }
  const std::string& url() const { return url_; }
  /// Takes a connection and greets it.
  void greet() {
    socket_ = ::accept(listener_, nullptr, nullptr);
    say("INFO {\"server_id\":\"x\",\"version\":\"2.9.10\",\"headers\":true,"
        "\"max_payload\":1048576}\r\n");
    std::string heard;
    while (!heard.contains("PING\r\n")) heard += hear(0);
    say("PONG\r\n");
  }
  void say(std::string_view text) { (void)::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
  std::string hear(int flags) {
    std::array<char, 65536> block{};
    const ssize_t size = ::recv(socket_, block.data(), block.size(), flags);
    return {block.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

 private:
  const int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int socket_ = -1;
  std::string url_;
};

TEST(SocketThreadTest, WhatIsQueuedLeavesTogether) {
  Peer peer;
  std::thread greeting([&] { peer.greet(); });
  LinkObserver observer;
  auto link = open_link({.urls = {peer.url()}}, observer);
  greeting.join();
  ASSERT_TRUE(link);
  std::string expected;
  for (int i = 0; i < 100; ++i) expected += "PUB s 1\r\nx\r\n";
  // As long as the thread is awake, because of the greeting, it may send what is queued.
  bool is_kept = false;
  for (int attempt = 0; attempt < 100 && !is_kept; ++attempt) {
    for (int i = 0; i < 100; ++i) ASSERT_TRUE((*link)->queue({.subject = "s", .data = "x"}));
    std::string heard = peer.hear(MSG_DONTWAIT);
    is_kept = heard.empty();
    (*link)->send();
    while (heard.size() < expected.size()) heard += peer.hear(0);
    ASSERT_EQ(heard, expected);
  }
  EXPECT_TRUE(is_kept) << "it left before it was sent, each time";
  (*link)->send();
  EXPECT_EQ(peer.hear(MSG_DONTWAIT), "");
  EXPECT_EQ((*link)->state(), LinkState::kConnected) << "an empty write would have ended it";
}

TEST(SocketThreadTest, WhatTheLibrarySaysByItselfLeavesAtOnce) {
  Peer peer;
  std::thread greeting([&] { peer.greet(); });
  LinkObserver observer;
  auto link = open_link({.urls = {peer.url()}}, observer);
  greeting.join();
  ASSERT_TRUE(link);
  peer.say("PING\r\n");
  EXPECT_EQ(peer.hear(0), "PONG\r\n");
  struct Deaf final : MessageSink {
    void on_message(Message) override {}
  } deaf;
  auto subscription = (*link)->subscribe("a.*", "g", deaf);
  ASSERT_TRUE(subscription);
  EXPECT_EQ(peer.hear(0), "SUB a.* g 1\r\n");
}

TEST(SocketThreadTest, EndsWithoutAConnection) {
  SocketThread socket;
  socket.send();
  socket.await_reading();
  socket.stop();
  socket.stop();
}

}  // namespace
}  // namespace millrace::nats
