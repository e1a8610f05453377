#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "loop/event_loop.h"
#include "net/address.h"
#include "net/http/connection_spreader.h"
#include "net/http/http_server.h"
#include "net/http/http_server_fixture.h"
#include "net/uv_listener.h"

namespace millrace::http_tests {

/// An HTTP server on loopback with a `TestHandler` per loop.
/// Threading: the thread of the test.
class SocketServer {
 public:
  struct Options {
    std::size_t loop_count = 1;
    net::Address address = {.host = "127.0.0.1"};
    net::UvListenerOptions listener = {};
    std::size_t body_bytes_max = 1000;
  };
  SocketServer() : SocketServer(Options{}) {}
  explicit SocketServer(const Options& options);
  ~SocketServer();
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;

  [[nodiscard]] const net::Address& address() const { return address_; }
  /// Such as `http://127.0.0.1:8080`.
  [[nodiscard]] std::string url(const std::string& scheme = "http") const;
  /// Sends bytes on a connection of its own and reads until the server ends it or, if it does not
  /// close, so many replies have come.
  [[nodiscard]] std::string ask(const std::string& bytes, std::size_t replies, bool closes) const;
  /// Requests that reached a handler.
  [[nodiscard]] std::size_t request_count() const;
  /// What became of its connections, for messages of tests.
  [[nodiscard]] std::string report() const;
  [[nodiscard]] std::size_t open_count(std::size_t loop) const {
    return spreader_->open_count(loop);
  }

 private:
  net::Address address_;
  std::vector<std::unique_ptr<loop::EventLoop>> loops_;
  std::vector<std::unique_ptr<net::TestHandler>> handlers_;
  std::vector<std::unique_ptr<net::HttpServer>> servers_;
  std::unique_ptr<net::ConnectionSpreader> spreader_;
  std::unique_ptr<net::UvListener> listener_;
};

}  // namespace millrace::http_tests
