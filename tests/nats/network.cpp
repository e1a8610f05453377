#include "network.h"

#include <fstream>
#include <string_view>

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "redis_server.h"

namespace millrace::live {
namespace {

constexpr const char* kLoopback = "lo";

void write_text(const char* file, std::string_view text) { std::ofstream(file) << text; }

/// Moves this program into a namespace of users in which it may do everything to its own network.
bool enter_namespace() {
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (unshare(CLONE_NEWNET) == 0) return true;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  write_text("/proc/self/setgroups", "deny");
  write_text("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
  write_text("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
  return true;
}

bool raise_loopback() {
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::string_view(kLoopback).copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  const bool is_up = ioctl(socket, SIOCSIFFLAGS, &request) == 0;
  close(socket);
  return is_up;
}

/// Whether the kernel and the tool can filter here.
bool can_filter() {
  return run_line(
             "nft 'add table inet millrace; "
             "add chain inet millrace in { type filter hook input priority 0; }; "
             "add rule inet millrace in tcp dport 1 drop; "
             "flush table inet millrace' >/dev/null 2>&1 && echo yes || true") == "yes\n";
}

bool try_move() { return enter_namespace() && raise_loopback() && can_filter(); }

/// Tries it in a child first: a program that moved cannot come back.
bool move_if_possible() {
  const pid_t child = fork();
  if (child == 0) _exit(try_move() ? 0 : 1);
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return false;
  return try_move();
}

}  // namespace

Network::Network() : has_namespace_(move_if_possible()) {}

std::string Network::how() const {
  return has_namespace_ ? "nftables in a network namespace" : "a proxy that swallows everything";
}

std::uint16_t Network::port_of(std::uint16_t server_port) {
  server_port_ = server_port;
  if (has_namespace_) return server_port;
  proxy_ = std::make_unique<StallingProxy>(server_port);
  return proxy_->port();
}

void Network::cut() {
  if (!has_namespace_) return proxy_->stall();
  const std::string port = std::to_string(server_port_);
  run_line(
      "nft 'add chain inet millrace in { type filter hook input priority 0; }; "
      "add rule inet millrace in tcp dport " +
      port + " drop; add rule inet millrace in tcp sport " + port + " drop' 2>&1");
}

void Network::mend() {
  if (!has_namespace_) return proxy_->resume();
  run_line("nft flush table inet millrace 2>&1");
}

}  // namespace millrace::live
