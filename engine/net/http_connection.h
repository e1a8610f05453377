#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "loop/owned_timer.h"
#include "net/http_reply_reader.h"
#include "net/stream.h"

// Internal: made by HttpClient.

namespace millrace::net {

class HttpCall;
class HttpClient;

/// One connection of a client: idle, or with one call on it.
/// Threading: loop thread. Lifetime: owned by its client, which may destroy it in each call that it
/// makes there; so those are the last thing it does.
class HttpConnection final : public StreamListener {
 public:
  explicit HttpConnection(HttpClient& client);

  /// Opens the stream. Once.
  void open(Connector& connector);
  /// Sends a request and reads its reply.
  void start(HttpCall& call, std::string text);
  /// Ends the call's use of the connection, whose reply is complete.
  void rest();

  [[nodiscard]] HttpCall* call() const { return call_; }
  /// Takes the call off, for a connection that is dropped next.
  [[nodiscard]] HttpCall& release();

  void on_connected() override {}
  [[nodiscard]] std::span<char> read_space() override;
  void on_read(std::size_t size) override;
  void on_input_end() override;
  void on_closed(const base::Status& status) override;

 private:
  void on_idle_timer();

  HttpClient& client_;
  std::unique_ptr<Stream> stream_;
  HttpCall* call_ = nullptr;
  bool is_used_ = false;  // a reply has come on it before
  HttpReplyReader reader_;
  loop::OwnedTimer<HttpConnection, &HttpConnection::on_idle_timer> idle_timer_;
};

}  // namespace millrace::net
