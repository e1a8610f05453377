#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/owned_timer.h"
#include "net/address.h"
#include "net/http_message.h"
#include "net/http_reply_reader.h"
#include "net/stream.h"

// Internal: made by HttpClient.

namespace millrace::net {

class HttpCall;
class HttpConnection;

/// What a connection tells its owner. Each call but `read_space` is the last thing the connection
/// does, so the owner may destroy it there.
class HttpConnectionOwner {
 public:
  virtual ~HttpConnectionOwner() = default;
  /// Says where bytes are read to; they are used before the next read of any connection.
  [[nodiscard]] virtual std::span<char> read_space() = 0;
  /// The reply to the call is complete. `keeps_alive`: another one may follow on this connection.
  virtual void on_reply(HttpConnection& connection, HttpReply reply, bool keeps_alive) = 0;
  /// There will be no reply. `is_stale`: the connection was kept open and had ended before any byte
  /// of the reply, so the server may not have seen the request.
  virtual void on_broken(HttpConnection& connection, const base::Error& reason, bool is_stale) = 0;
  /// The connection ended, or was unused for too long, while it had no call.
  virtual void on_idle_end(HttpConnection& connection) = 0;
};

/// One connection to an HTTP server: idle, or with one call on it.
/// Threading: loop thread. Lifetime: borrows loop and owner.
class HttpConnection final : public StreamListener {
 public:
  HttpConnection(loop::Loop& loop, HttpConnectionOwner& owner, base::Duration idle_timeout);

  /// Opens the stream. Once.
  void open(Connector& connector, const Address& address, const ConnectOptions& options);
  /// Sends `text`, a request of this method, and reads its reply.
  void start(HttpCall& call, std::string text, std::string_view method, const HttpLimits& limits);
  /// Waits for the next call, after a complete reply.
  void rest();

  [[nodiscard]] HttpCall* call() const { return call_; }
  /// Takes the call off the connection.
  [[nodiscard]] HttpCall& release();

  void on_connected() override {}
  [[nodiscard]] std::span<char> read_space() override;
  void on_read(std::size_t size) override;
  void on_input_end() override;
  void on_closed(const base::Status& status) override;

 private:
  void on_idle_timer();

  HttpConnectionOwner& owner_;
  const base::Duration idle_timeout_;
  std::unique_ptr<Stream> stream_;
  HttpCall* call_ = nullptr;
  bool is_used_ = false;        // a reply has come on it before
  std::span<char> read_space_;  // given to the stream last
  HttpReplyReader reader_;
  loop::OwnedTimer<HttpConnection, &HttpConnection::on_idle_timer> idle_timer_;
};

}  // namespace millrace::net
