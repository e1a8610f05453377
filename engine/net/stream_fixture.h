#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <semaphore>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/loop_fixture.h"
#include "net/address.h"
#include "net/descriptor.h"
#include "net/listener.h"
#include "net/stream.h"

// What the tests of streams share.

namespace millrace::net {

/// Owns a stream and remembers what it said. Hooks run after that, as the last thing of a call.
class Recorder : public StreamListener {
 public:
  explicit Recorder(std::size_t read_bytes = 64 * 1024) : buffer_(read_bytes) {}

  std::unique_ptr<Stream> stream;
  int connected_count = 0;
  std::string text;
  std::vector<std::size_t> reads;
  int input_end_count = 0;
  int drained_count = 0;
  std::optional<base::Status> closed;
  std::function<void()> when_connected;
  std::function<void()> when_read;
  std::function<void()> when_input_end;
  std::function<void()> when_drained;
  std::function<void()> when_closed;

  /// Why the stream was closed, which must not have been in good order.
  [[nodiscard]] const base::Error& error() const {
    MR_CHECK(closed.has_value());
    MR_CHECK(!closed->has_value());
    return closed->error();
  }

  void on_connected() override {
    ++connected_count;
    if (when_connected) when_connected();
  }
  std::span<char> read_space() override { return buffer_; }
  void on_read(std::size_t size) override {
    text.append(buffer_.data(), size);
    reads.push_back(size);
    if (when_read) when_read();
  }
  void on_input_end() override {
    ++input_end_count;
    if (when_input_end) when_input_end();
  }
  void on_drained() override {
    MR_CHECK(stream->unsent_bytes() == 0);
    ++drained_count;
    if (when_drained) when_drained();
  }
  void on_closed(const base::Status& status) override {
    MR_CHECK(!closed.has_value());
    closed = status;
    if (when_closed) when_closed();
  }

 private:
  std::vector<char> buffer_;
};

/// Takes connections; each gets a recorder, prepared by `prepare`.
class RecordingAcceptor : public Acceptor {
 public:
  std::function<void(Recorder&)> prepare;
  std::vector<std::unique_ptr<Recorder>> ends;
  std::optional<base::Error> paused;
  int closed_count = 0;

  /// Where the streams live.
  explicit RecordingAcceptor(loop::Loop& loop) : loop_(loop) {}

  void on_incoming(std::unique_ptr<Incoming> incoming) override {
    Recorder& end = *ends.emplace_back(std::make_unique<Recorder>());
    if (prepare) prepare(end);
    end.stream = incoming->adopt(loop_, end);
  }
  void on_accept_paused(const base::Error& reason) override { paused = reason; }
  void on_listener_closed() override { ++closed_count; }

 private:
  loop::Loop& loop_;
};

/// A listening socket that the test serves by hand, with blocking calls.
class RawServer {
 public:
  RawServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in local{};
    local.sin_family = AF_INET;
    local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const name = reinterpret_cast<sockaddr*>(&local);
    socklen_t size = sizeof local;
    MR_CHECK(::bind(socket_, name, size) == 0);
    MR_CHECK(::listen(socket_, 16) == 0);
    MR_CHECK(::getsockname(socket_, name, &size) == 0);
    port_ = ntohs(local.sin_port);
  }
  ~RawServer() { stop(); }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  [[nodiscard]] Address address() const { return {.host = "127.0.0.1", .port = port_}; }
  [[nodiscard]] int accept() const {
    const int peer = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    MR_CHECK(peer >= 0);
    return peer;
  }
  void stop() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  /// Closes with a reset instead of an end.
  static void reset(int peer) {
    const linger now{.l_onoff = 1, .l_linger = 0};
    MR_CHECK(::setsockopt(peer, SOL_SOCKET, SO_LINGER, &now, sizeof now) == 0);
    ::close(peer);
  }
  /// Reads until `size` bytes are there or the peer ends.
  static std::string read(int peer, std::size_t size) {
    std::string text;
    std::array<char, 65536> buffer;
    while (text.size() < size) {
      const ssize_t count =
          ::read(peer, buffer.data(), std::min(buffer.size(), size - text.size()));
      if (count <= 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  int socket_;
  std::uint16_t port_ = 0;
};

/// A client on loopback whose connection nobody serves, with blocking calls.
class RawClient {
 public:
  /// Not open if the connection is refused.
  static Descriptor connect(const Address& address) {
    Descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!connect_socket(client, address)) client.reset();
    return client;
  }
  static bool connect_socket(const Descriptor& client, const Address& address) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    name.sin_port = htons(address.port);
    return ::connect(client.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
  }
};

}  // namespace millrace::net
