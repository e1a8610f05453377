#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "net/http/http_target.h"
#include "net/http_head.h"

// What a server of HTTP/1.1 asks of the program behind it: an `HttpHandler` decides about each
// request by its head, an `HttpReceiver` gets the body, and the reply goes to the `HttpExchange`.

namespace millrace::net {

/// When the parts of a request came, on the clock of the loop.
struct HttpTimes {
  base::TimePoint first_byte = {};
  base::TimePoint head_end = {};  ///< deadlines of requests count from here
  base::TimePoint body_end = {};  ///< set once the whole body has come
};

/// What the log calls the status of a request whose client went away.
inline constexpr int kHttpClientGone = 499;

/// What a handler is told about a request after its head.
/// Threading: loop thread. Never called inside a method of the exchange.
/// Lifetime: borrowed by the exchange until the exchange has ended.
class HttpReceiver {
 public:
  virtual ~HttpReceiver() = default;
  /// The next bytes of the body, at least one; the view lasts for the call. Comes only where
  /// `HttpBodyWish::in_pieces` asks for it.
  virtual void on_body_piece(std::string_view /*piece*/) {}
  /// Called once: the body is complete. `body` is all of it, and lasts until the exchange has
  /// ended; it is empty where the body came in pieces.
  virtual void on_body_end(std::string_view body) = 0;
  /// Bytes of the reply had to wait for the client, and now all of them have left.
  virtual void on_drained() {}
  /// Called last, if the exchange ends without a complete reply of the handler: it must not be used
  /// from here on. `status` is `kHttpClientGone` if the client went away. Else it is why the
  /// connection refused the request, such as 408 or 413 for a body that is late or too large. The
  /// handler has then described the refusal, unless a reply had begun, which was broken off.
  virtual void on_gone(int status) = 0;
};

/// How a handler wants the body of a request.
struct HttpBodyWish {
  std::size_t bytes_max = std::size_t{1} << 20;  ///< after inflating; a longer one is answered 413
  bool in_pieces = false;  ///< true: as it comes; false: whole, when it is complete
};

/// One request and its reply.
///
/// A handler gets it when the head of a request has come. Before `on_request` returns, it either
/// answers or calls `receive`. The reply may come at any later time, before the body is complete
/// too, and exactly once: either `reply`, or `begin`, any number of `write`, and `finish` or
/// `abort`.
///
/// The exchange ends with the call of `reply`, `finish` or `abort`, or with `on_gone` of the
/// receiver, whichever comes first. After that it must not be used any more.
/// Threading: loop thread.
class HttpExchange {
 public:
  HttpExchange() = default;
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;
  virtual ~HttpExchange() = default;

  // The request.

  [[nodiscard]] virtual const HttpRequestHead& head() const = 0;
  /// Path and query of the head's target.
  [[nodiscard]] virtual const HttpTarget& target() const = 0;
  [[nodiscard]] virtual const HttpTimes& times() const = 0;
  /// Who asks, for messages: an IP address with port, or `a unix socket`.
  [[nodiscard]] virtual const std::string& peer() const = 0;

  /// Says who gets the body and what follows; at most once, inside `on_request`. A request without
  /// a body has an empty one. A client that waits for "100 Continue" gets it when `on_request`
  /// returns.
  virtual void receive(HttpReceiver& receiver, const HttpBodyWish& wish) = 0;

  // The reply.

  /// Fields of the reply, empty at first. The connection adds `Date`, `Connection` and what frames
  /// the body.
  [[nodiscard]] virtual HttpFields& reply_fields() = 0;
  /// Says `Connection: close` and ends the connection after this reply.
  virtual void close_after_reply() = 0;
  /// Answers with a whole body. A reply to HEAD, 204 and 304 go out without their body. Large
  /// bodies are compressed for clients that accept it, unless `reply_fields` has a
  /// `Content-Encoding`. False: there was no memory for it, so the connection has refused the
  /// request instead, and the handler has described that.
  virtual bool reply(int status, std::string_view body) = 0;
  /// Begins a reply of unknown length.
  virtual void begin(int status) = 0;
  /// Sends the next piece of the body. The caller bounds `unsent_bytes`.
  virtual void write(std::string_view piece) = 0;
  /// Ends the reply that `begin` has begun. If the body of the request is not complete, the
  /// connection is closed afterwards.
  virtual void finish() = 0;
  /// Breaks off a reply that `begin` has begun: the client sees that it is incomplete.
  virtual void abort() = 0;
  /// Bytes of the reply that wait for the client.
  [[nodiscard]] virtual std::size_t unsent_bytes() const = 0;
};

/// Why the connection answers a request itself.
struct HttpRefusal {
  int status = 400;
  std::string_view detail;  ///< one sentence for whoever wrote the client
};

/// Answers requests. One may serve many connections and several listeners of one loop.
/// Threading: loop thread.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// The head of a request has come; see `HttpExchange` for what is to be done.
  virtual void on_request(HttpExchange& exchange) = 0;
  /// Writes the body of an answer that the connection gives itself, and its `Content-Type`. Without
  /// an override it is the detail as plain text. Called once for each such answer, so this is the
  /// place to count them. `exchange` is the request, of which only the head, the target and the
  /// peer may be asked for; nullptr if its head could not be read.
  virtual void describe_refusal(const HttpRefusal& refusal,
                                const HttpExchange* /*exchange*/,
                                HttpFields& fields,
                                std::string& body) {
    fields.add("Content-Type", "text/plain");
    body.append(refusal.detail).append("\n");
  }
};

}  // namespace millrace::net
