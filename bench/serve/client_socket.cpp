#include "bench/serve/client_socket.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/format.h"

namespace millrace::bench {
namespace {

constexpr int kReplyWaitMs = 20'000;

std::unexpected<base::Error> broken(std::string_view what) {
  return base::fail(base::ErrorCode::kUnavailable,
                    base::format("{} ({})", what, std::strerror(errno)));
}

}  // namespace

base::Result<ClientSocket> ClientSocket::connect(std::uint16_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(port);
  ClientSocket client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(client.socket_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0)
    return broken("Cannot connect to the server under measurement");
  const int on = 1;
  ::setsockopt(client.socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return client;
}

ClientSocket::~ClientSocket() {
  if (socket_ >= 0) ::close(socket_);
}

base::Status ClientSocket::send(std::string_view request) {
  reply_.clear();
  const ssize_t size = ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
  if (size != static_cast<ssize_t>(request.size())) return broken("Cannot send a request");
  return {};
}

base::Result<bool> ClientSocket::receive() {
  std::array<char, 65536> buffer;
  const ssize_t size = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size < 0 && errno == EAGAIN) return false;
  if (size <= 0) return broken("The server ended a connection");
  if (!reply_.take({buffer.data(), static_cast<std::size_t>(size)}))
    return broken("The server sent something else than a reply with a length");
  return reply_.is_complete();
}

std::string make_request(std::string_view path, std::string_view body) {
  std::string text = base::format(
      "{} {} HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: bench/1.0\r\nAccept: */*\r\n",
      body.empty() ? "GET" : "POST",
      path);
  if (!body.empty()) {
    text += base::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
  }
  return text.append("\r\n").append(body);
}

base::Result<Reply> ask(std::uint16_t port, const std::string& request) {
  MR_TRY(ClientSocket client, ClientSocket::connect(port));
  MR_TRY_STATUS(client.send(request));
  for (;;) {
    pollfd wanted{.fd = client.descriptor(), .events = POLLIN, .revents = 0};
    if (::poll(&wanted, 1, kReplyWaitMs) <= 0) return broken("The server does not answer");
    MR_TRY(const bool is_complete, client.receive());
    if (is_complete)
      return Reply{.status = client.reply().status(), .body = std::string(client.reply().body())};
  }
}

}  // namespace millrace::bench
