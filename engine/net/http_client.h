#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/log/log.h"
#include "base/random.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/owned_timer.h"
#include "net/address.h"
#include "net/breaker.h"
#include "net/breaker_report.h"
#include "net/http_cells.h"
#include "net/http_connection.h"
#include "net/http_message.h"
#include "net/round_robin_queue.h"
#include "net/stream.h"

namespace millrace::net {

class HttpClient;

struct HttpClientOptions {
  Address address = {};
  ConnectOptions connect = {};
  /// From `send` to the last byte of the reply, waiting and connecting included.
  base::Duration request_timeout = std::chrono::seconds(1);
  std::uint32_t inflight_max = 64;  ///< requests under way, each on a connection of its own
  std::uint32_t idle_max = 8;       ///< connections kept open with nothing to do
  base::Duration idle_timeout = std::chrono::seconds(30);
  std::size_t waiting_max = 16 * 1024;  ///< requests that wait for their turn
  std::size_t header_bytes_max = std::size_t{32} << 10;
  BreakerOptions breaker = {};
  std::string endpoint = {};    ///< name in log lines
  base::Logger* log = nullptr;  ///< hears of the breaker; outlives the client; null: nobody does
};

struct HttpCallOptions {
  std::size_t body_bytes_max = std::size_t{1} << 20;
  /// Gives kTimeout then, if that is before the request timeout.
  std::optional<base::TimePoint> deadline = {};
  /// Calls with the same group share one turn when calls wait.
  const void* group = nullptr;
};

/// One request and its reply: derive from it.
/// Threading: loop thread. Lifetime: owned by the caller; destroying it gives the call up.
class HttpCall {
 public:
  HttpCall() = default;
  virtual ~HttpCall() { cancel(); }
  HttpCall(const HttpCall&) = delete;
  HttpCall& operator=(const HttpCall&) = delete;

  [[nodiscard]] bool in_flight() const { return client_ != nullptr; }
  /// Gives the call up; `on_done` does not come. Does nothing when it is not in flight.
  void cancel();

 protected:
  /// The reply, whatever its status; or why there is none: kTimeout, kUnavailable (refused, broken,
  /// not HTTP, breaker open) or kResourceExhausted (too large). May send the call again, or destroy
  /// it. Never called inside `send`.
  virtual void on_done(base::Result<HttpReply> reply) = 0;

 private:
  friend class HttpClient;

  void on_timer();
  using CallTimer = loop::OwnedTimer<HttpCall, &HttpCall::on_timer>;

  HttpClient* client_ = nullptr;
  HttpConnection* connection_ = nullptr;  // nullptr while it waits
  HttpRequest request_;
  HttpCallOptions options_;
  bool repeated_ = false;
  bool deadline_is_first_ = false;
  base::TimePoint begun_{};
  std::optional<Breaker::Ticket> ticket_;
  std::optional<CallTimer> timer_;
};

/// HTTP/1.1 to one server: connections that are kept open and used again, a bounded number of
/// requests under way, a fair queue for those that wait, and a breaker.
///
/// A connection is used again only after a whole reply that allows it. When one that was kept open
/// turns out to have ended before any byte of the reply, a request that may be repeated (GET, HEAD)
/// is, once, on a new connection. Giving up a call closes its connection. For the breaker a failure
/// is no reply, a status of 5xx, or 429; a call that its caller gave up, or whose deadline came
/// before the request timeout, does not count.
///
/// Threading: loop thread.
/// Lifetime: borrows loop, connector, random and logger; outlives its calls in flight. Not
/// destroyed inside a call's `on_done`.
class HttpClient final : private HttpConnectionOwner {
 public:
  HttpClient(loop::Loop& loop,
             Connector& connector,
             base::Random& random,
             HttpClientOptions options);
  ~HttpClient() override;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Begins a call that is not in flight. Fails at once, and then nothing is begun, with
  /// kUnavailable while the breaker is open, kResourceExhausted when too many wait, and
  /// kInvalidArgument when the request cannot be sent as HTTP: its method, target or a field holds
  /// a forbidden character, or a field is one that the client writes itself (`Host`,
  /// `Content-Length`, `Transfer-Encoding`, `Connection`).
  [[nodiscard]] base::Status send(HttpCall& call,
                                  HttpRequest request,
                                  const HttpCallOptions& options);

  /// Safe from any thread, as is reading the cells.
  [[nodiscard]] HttpCounters counters() const { return cells_.counters(); }
  [[nodiscard]] const HttpCells& cells() const { return cells_; }
  [[nodiscard]] const Breaker& breaker() const { return breaker_; }
  [[nodiscard]] std::size_t waiting_count() const { return waiting_.size(); }
  [[nodiscard]] std::size_t connection_count() const { return connections_.size(); }

 private:
  friend class HttpCall;

  static constexpr std::size_t kReadBytes = 16 * 1024;

  /// Puts the call on a connection; fails if the breaker does not let it.
  [[nodiscard]] base::Status dispatch(HttpCall& call);
  void start_on(HttpConnection& connection, HttpCall& call);
  [[nodiscard]] HttpConnection& open_connection();
  /// Lets waiting calls go while there is room.
  void pump();
  /// Takes a call out of the queue or off its connection, which is dropped.
  void give_up(HttpCall& call);
  void cancel(HttpCall& call);
  void on_call_timer(HttpCall& call);
  /// Ends a call that has left its connection, and tells it.
  void finish(HttpCall& call, base::Result<HttpReply> reply, Breaker::Outcome outcome);
  void end(HttpCall& call, Breaker::Outcome outcome);

  [[nodiscard]] std::span<char> read_space() override { return buffer_; }
  void on_reply(HttpConnection& connection, HttpReply reply, bool keeps_alive) override;
  void on_broken(HttpConnection& connection, const base::Error& reason, bool is_stale) override;
  void on_idle_end(HttpConnection& connection) override { drop(connection); }
  void drop(HttpConnection& connection);
  [[nodiscard]] std::string text_of(const HttpRequest& request) const;
  [[nodiscard]] base::Error name_peer(const base::Error& error) const;

  loop::Loop& loop_;
  Connector& connector_;
  const HttpClientOptions options_;
  const std::string host_;
  HttpCells cells_;
  BreakerReport breaker_report_;
  Breaker breaker_;
  RoundRobinQueue<HttpCall> waiting_;
  std::vector<std::unique_ptr<HttpConnection>> connections_;
  // The one that was used last stands at the end and is used next.
  std::vector<HttpConnection*> idle_;
  std::size_t call_count_ = 0;
  bool pumping_ = false;
  // Starts waiting calls after one was cancelled: inside `cancel` no call may be told anything.
  loop::OwnedTimer<HttpClient, &HttpClient::pump> pump_timer_;
  // Shared by all connections: each uses what it read before the next one reads.
  std::array<char, kReadBytes> buffer_;
};

}  // namespace millrace::net
