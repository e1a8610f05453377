#include "bench/serve/load.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/result.h"
#include "bench/serve/served.h"

namespace millrace::bench {
namespace {

std::unexpected<base::Error> broken(const char* what) {
  return base::fail(base::ErrorCode::kUnavailable, what);
}

}  // namespace

std::string rank_request() {
  const std::string body = R"({"user_id":1,"limit":10,"request_id":"bench-0001"})";
  return "POST /v1/rank/complex_dag HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: bench/1.0\r\n"
         "Accept: application/json\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

base::Result<ClosedLoad> ClosedLoad::connect(std::uint16_t port, std::size_t connections) {
  ClosedLoad load;
  load.request_ = rank_request();
  load.poll_ = ::epoll_create1(EPOLL_CLOEXEC);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(port);
  for (std::size_t i = 0; i < connections; ++i) {
    Client client{.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (::connect(client.socket, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
      ::close(client.socket);
      return broken("Cannot connect to the server under measurement");
    }
    const int on = 1;
    ::setsockopt(client.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    ::epoll_ctl(load.poll_, EPOLL_CTL_ADD, client.socket, &event);
    client.reply.reserve(4096);
    load.clients_.push_back(std::move(client));
  }
  return load;
}

ClosedLoad::ClosedLoad(ClosedLoad&& other) noexcept
    : poll_(std::exchange(other.poll_, -1)),
      request_(std::move(other.request_)),
      clients_(std::exchange(other.clients_, {})) {}

ClosedLoad::~ClosedLoad() {
  for (const Client& client : clients_) ::close(client.socket);
  if (poll_ >= 0) ::close(poll_);
}

base::Status ClosedLoad::send(Client& client) const {
  client.reply.clear();
  const ssize_t size = ::send(client.socket, request_.data(), request_.size(), MSG_NOSIGNAL);
  if (size != static_cast<ssize_t>(request_.size())) return broken("Cannot send a request");
  return {};
}

base::Result<bool> ClosedLoad::receive(Client& client) {
  std::array<char, 4096> buffer;
  const ssize_t size = ::recv(client.socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size <= 0) return broken("The server ended a connection");
  client.reply.append(buffer.data(), static_cast<std::size_t>(size));
  const std::size_t end = client.reply.find("\r\n\r\n");
  if (end == std::string::npos || client.reply.size() < end + 4 + reply_body().size()) return false;
  if (!client.reply.starts_with("HTTP/1.1 200 OK\r\n") || !client.reply.ends_with(reply_body())) {
    return broken("The server sent another reply than expected");
  }
  return true;
}

base::Status ClosedLoad::run(std::size_t requests) {
  std::size_t sent = 0;
  std::size_t replied = 0;
  for (Client& client : clients_) {
    if (sent == requests) break;
    MR_TRY_STATUS(send(client));
    ++sent;
  }
  std::array<epoll_event, 64> events;
  while (replied < requests) {
    const int count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 10'000);
    if (count <= 0) return broken("The server does not answer");
    for (int i = 0; i < count; ++i) {
      Client& client = clients_[events[static_cast<std::size_t>(i)].data.u64];
      MR_TRY(const bool is_complete, receive(client));
      if (!is_complete) continue;
      ++replied;
      if (sent == requests) continue;
      MR_TRY_STATUS(send(client));
      ++sent;
    }
  }
  return {};
}

}  // namespace millrace::bench
