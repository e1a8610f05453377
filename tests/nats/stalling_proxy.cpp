#include "stalling_proxy.h"

#include <array>
#include <stdexcept>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace millrace::live {
namespace {

constexpr int kLookMs = 20;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool write_all(int to, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = send(to, data, size, MSG_NOSIGNAL);
    if (written <= 0) return false;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

StallingProxy::StallingProxy(std::uint16_t server_port) : server_port_(server_port) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, generic, size) != 0 || listen(listener_, 16) != 0 ||
      getsockname(listener_, generic, &size) != 0)
    throw std::runtime_error("no port for the proxy");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

StallingProxy::~StallingProxy() {
  ends_.store(true);
  thread_.join();
  cut_all();
  close(listener_);
}

bool StallingProxy::wait_for_connections(std::size_t count, base::Duration limit) {
  const base::TimePoint deadline = base::steady_clock().now() + limit;
  const base::MutexLock lock(mutex_);
  while (connection_count_ < count) {
    const base::Duration left = deadline - base::steady_clock().now();
    if (left <= base::Duration::zero()) return false;
    changed_.wait_for(mutex_, left);
  }
  return true;
}

void StallingProxy::run() {
  bool was_stalling = false;
  while (!ends_.load()) {
    const bool stalls = stalls_.load();
    if (was_stalling && !stalls) cut_all();
    was_stalling = stalls;
    std::vector<pollfd> polled{{.fd = listener_, .events = POLLIN, .revents = 0}};
    if (!stalls) {
      for (const auto& [one, other] : peers_)
        polled.push_back({.fd = one, .events = POLLIN, .revents = 0});
    }
    if (poll(polled.data(), polled.size(), kLookMs) <= 0) continue;
    if (polled[0].revents != 0) accept();
    for (std::size_t i = 1; i < polled.size(); ++i) {
      if (polled[i].revents != 0 && peers_.contains(polled[i].fd)) pass_on(polled[i].fd);
    }
  }
}

void StallingProxy::accept() {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(server_port_);
  if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    close(client);
    close(server);
    return;
  }
  peers_[client] = server;
  peers_[server] = client;
  const base::MutexLock lock(mutex_);
  ++connection_count_;
  changed_.notify_all();
}

void StallingProxy::pass_on(int from) {
  std::array<char, 65536> block{};
  const ssize_t size = recv(from, block.data(), block.size(), 0);
  if (size <= 0 || !write_all(peers_[from], block.data(), static_cast<std::size_t>(size)))
    cut(from);
}

void StallingProxy::cut(int one) {
  const int other = peers_[one];
  peers_.erase(one);
  peers_.erase(other);
  close(one);
  close(other);
}

void StallingProxy::cut_all() {
  while (!peers_.empty()) cut(peers_.begin()->first);
}

}  // namespace millrace::live
