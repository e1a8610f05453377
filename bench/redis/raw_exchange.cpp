#include "bench/redis/raw_exchange.h"

#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/format.h"

namespace millrace::bench {

RawExchange::RawExchange(std::uint16_t port)
    : socket_(socket(AF_INET, SOCK_STREAM, 0)), buffer_(std::size_t{1} << 20U) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(socket_);
    throw std::runtime_error("Cannot connect to the server");
  }
}

RawExchange::~RawExchange() { close(socket_); }

void RawExchange::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = write(socket_, bytes.data(), bytes.size());
    if (sent <= 0) throw std::runtime_error("The server does not listen");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string_view RawExchange::receive() {
  const ssize_t received = read(socket_, buffer_.data(), buffer_.size());
  if (received <= 0) throw std::runtime_error("The server says nothing");
  return {buffer_.data(), static_cast<std::size_t>(received)};
}

std::string RawExchange::ask(std::string_view commands) {
  // When the last reply has come, all others have come too.
  constexpr std::string_view kEnd = "+PONG\r\n";
  send(std::string(commands) + command_text({"PING"}));
  std::string replies;
  while (!replies.ends_with(kEnd)) replies += receive();
  replies.resize(replies.size() - kEnd.size());
  return replies;
}

base::Duration RawExchange::time(std::string_view commands, std::size_t reply_bytes) {
  const base::TimePoint begin = base::steady_clock().now();
  send(commands);
  std::size_t received = 0;
  while (received < reply_bytes) received += receive().size();
  return base::steady_clock().now() - begin;
}

std::string command_text(const std::vector<std::string>& words) {
  std::string text = base::format("*{}\r\n", words.size());
  for (const std::string& word : words) text += base::format("${}\r\n{}\r\n", word.size(), word);
  return text;
}

}  // namespace millrace::bench
