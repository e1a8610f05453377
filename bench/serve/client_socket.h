#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "bench/serve/reply_reader.h"

namespace millrace::bench {

/// One connection of a client to a server on loopback: a request, then its reply.
/// Threading: not shared.
class ClientSocket {
 public:
  [[nodiscard]] static base::Result<ClientSocket> connect(std::uint16_t port);
  ClientSocket(ClientSocket&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), reply_(std::move(other.reply_)) {}
  ClientSocket& operator=(ClientSocket&&) = delete;
  ~ClientSocket();

  [[nodiscard]] int descriptor() const { return socket_; }
  /// Sends a request; it must fit into the kernel's buffer.
  [[nodiscard]] base::Status send(std::string_view request);
  /// Reads what is there without waiting. True: the reply is whole.
  [[nodiscard]] base::Result<bool> receive();
  [[nodiscard]] const ReplyReader& reply() const { return reply_; }

 private:
  explicit ClientSocket(int socket) : socket_(socket) {}
  int socket_;
  ReplyReader reply_;
};

/// A request as clients send it; an empty body is a GET.
[[nodiscard]] std::string make_request(std::string_view path, std::string_view body);

/// Sends one request over a connection of its own and waits for the reply, for some seconds.
struct Reply {
  int status = 0;
  std::string body;
};
[[nodiscard]] base::Result<Reply> ask(std::uint16_t port, const std::string& request);

}  // namespace millrace::bench
