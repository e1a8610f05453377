#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/wall_clock.h"
#include "loop/fake_loop.h"
#include "net/fake_listener.h"
#include "net/fake_peer.h"
#include "net/http/http_handler.h"
#include "net/http/http_server.h"
#include "net/http/http_server_settings.h"
#include "net/http_head.h"
#include "net/listener.h"

// What the tests of the HTTP server share.

namespace millrace::net {

/// A request that a `TestHandler` has got.
class TestCall final : public HttpReceiver {
 public:
  HttpExchange* exchange = nullptr;  ///< nullptr once it has ended
  std::string path;
  std::string body;  ///< pieces have a bar behind each
  bool body_ended = false;
  int gone_status = 0;
  int drained_count = 0;
  std::function<void(TestCall&)> when_piece;
  std::function<void(TestCall&)> when_body_end;
  std::function<void(TestCall&)> when_drained;

  void on_body_piece(std::string_view piece) override {
    body.append(piece).append("|");
    if (when_piece) when_piece(*this);
  }
  void on_body_end(std::string_view whole) override {
    body += whole;
    body_ended = true;
    if (when_body_end) when_body_end(*this);
  }
  void on_drained() override {
    ++drained_count;
    if (when_drained) when_drained(*this);
  }
  void on_gone(int status) override {
    gone_status = status;
    exchange = nullptr;
  }
  bool reply(int status, std::string_view text) { return take().reply(status, text); }
  HttpExchange& take() { return *std::exchange(exchange, nullptr); }
};

/// Answers by path, and remembers what it was asked:
/// - /early: 404 before the body
/// - /later: only the test answers
/// - /pieces: gets the body in pieces; only the test answers
/// - all others: 200 with method, path and body
class TestHandler final : public HttpHandler {
 public:
  std::vector<std::unique_ptr<TestCall>> calls;
  std::vector<int> refusals;
  std::size_t body_bytes_max = 1000;
  /// Called for each request before anything else.
  std::function<void(TestCall&)> when_request;

  void on_request(HttpExchange& exchange) override {
    TestCall& call = *calls.emplace_back(std::make_unique<TestCall>());
    call.exchange = &exchange;
    call.path = exchange.target().path;
    if (when_request) when_request(call);
    if (call.exchange == nullptr) return;
    if (call.path == "/early") {
      (void)call.reply(404, "early");
      return;
    }
    if (!call.path.starts_with("/later") && call.path != "/pieces" && !call.when_body_end) {
      call.when_body_end = [](TestCall& answered) {
        const std::string method = answered.exchange->head().method;
        answered.reply(200, method + " " + answered.path + " " + answered.body);
      };
    }
    exchange.receive(call, {.bytes_max = body_bytes_max, .in_pieces = call.path == "/pieces"});
  }
  void describe_refusal(const HttpRefusal& refusal,
                        const HttpExchange* exchange,
                        HttpFields& fields,
                        std::string& body) override {
    refusals.push_back(refusal.status);
    HttpHandler::describe_refusal(refusal, exchange, fields, body);
  }
  [[nodiscard]] TestCall& last() { return *calls.back(); }
};

/// A server in virtual time, whose clients the test plays.
class HttpServerRig : private Acceptor {
 public:
  explicit HttpServerRig(const HttpServerSettings& settings = {}, loop::Executor* workers = nullptr)
      : server({.loop = loop, .wall_clock = calendar, .gzip_workers = workers}, settings),
        listener(loop, *this) {}

  base::ManualClock clock;
  base::ManualWallClock calendar{base::WallTime(std::chrono::seconds(784111777))};
  loop::FakeLoop loop{clock};
  TestHandler handler;
  HttpServer server;
  FakeListener listener;

  FakePeer& connect() {
    FakePeer& client = listener.connect();
    loop.run_ready();
    return client;
  }
  /// Sends bytes in pieces and lets the loop do what is ready.
  void send(FakePeer& client, const std::string& bytes, std::size_t piece = 1 << 30) {
    client.deliver_split(bytes, piece);
    loop.run_ready();
  }
  /// What the client has received since it was asked last, without the fields that are always the
  /// same.
  [[nodiscard]] std::string take(FakePeer& client) {
    std::string text = client.take_received();
    const std::string date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    for (std::size_t at = text.find(date); at != std::string::npos; at = text.find(date)) {
      text.erase(at, date.size());
    }
    return text;
  }
  [[nodiscard]] std::string ask(FakePeer& client, const std::string& bytes) {
    send(client, bytes);
    return take(client);
  }

 private:
  void on_incoming(std::unique_ptr<Incoming> incoming) override {
    server.take(std::move(incoming), handler);
  }
  void on_accept_paused(const base::Error&) override {}
  void on_listener_closed() override {}
};

/// A request without a body.
inline std::string get(const std::string& target, const std::string& fields = {}) {
  return "GET " + target + " HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n";
}
/// A request with a body of known length.
inline std::string post(const std::string& target,
                        const std::string& body,
                        const std::string& fields = {}) {
  return "POST " + target +
         " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         fields + "\r\n" + body;
}
/// What `TestHandler` answers.
inline std::string ok(const std::string& body, const std::string& fields = {}) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + fields +
         "\r\n" + body;
}

}  // namespace millrace::net
