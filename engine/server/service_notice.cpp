#include "server/service_notice.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/format.h"

namespace millrace::server {
namespace {

constexpr int kFirstInherited = 3;
constexpr long kInheritedMax = 64;

std::optional<std::int64_t> number_in(const char* text) {
  if (text == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

}  // namespace

ServiceManager::ServiceManager(std::string socket_path, std::optional<base::Duration> watchdog)
    : socket_path_(std::move(socket_path)) {
  if (watchdog) watchdog_pause_ = *watchdog / 2;
}

ServiceManager ServiceManager::from_environment() {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  const auto micros = number_in(std::getenv("WATCHDOG_USEC"));
  const auto pid = number_in(std::getenv("WATCHDOG_PID"));
  const bool is_ours = !pid || *pid == ::getpid();
  std::optional<base::Duration> watchdog;
  if (micros && *micros > 0 && is_ours) watchdog = std::chrono::microseconds(*micros);
  ServiceManager manager(path != nullptr ? path : "", watchdog);
  for (const char* const name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
    ::unsetenv(name);
  return manager;
}

void ServiceManager::tell_reloading(base::TimePoint now) const {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
  send(base::format("RELOADING=1\nMONOTONIC_USEC={}\n", micros.count()));
}

void ServiceManager::send(std::string_view state) const {
  sockaddr_un address{};
  if (socket_path_.empty() || socket_path_.size() >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::ranges::copy(socket_path_, address.sun_path);
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_path_.size());
  const net::Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return;
  // A manager that is not there any more is told nothing.
  (void)::sendto(socket.get(),
                 state.data(),
                 state.size(),
                 MSG_NOSIGNAL | MSG_DONTWAIT,
                 reinterpret_cast<const sockaddr*>(&address),
                 size);
}

std::vector<ListenerKind> read_listen_variables(const ListenVariables& variables, long own_pid) {
  const auto pid = number_in(variables.pid);
  const auto count = number_in(variables.count);
  if (!pid || *pid != own_pid || !count || *count < 1) return {};
  std::string_view names = variables.names != nullptr ? variables.names : "";
  std::vector<ListenerKind> kinds;
  for (std::int64_t index = 0; index < std::min<std::int64_t>(*count, kInheritedMax); ++index) {
    const std::size_t end = std::min(names.find(':'), names.size());
    const bool is_admin = names.substr(0, end) == "admin";
    kinds.push_back(is_admin ? ListenerKind::kAdmin : ListenerKind::kMain);
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return kinds;
}

std::vector<InheritedSocket> take_inherited_sockets() {
  const std::vector<ListenerKind> kinds =
      read_listen_variables({.pid = std::getenv("LISTEN_PID"),
                             .count = std::getenv("LISTEN_FDS"),
                             .names = std::getenv("LISTEN_FDNAMES")},
                            ::getpid());
  for (const char* const name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  std::vector<InheritedSocket> sockets;
  for (std::size_t index = 0; index < kinds.size(); ++index) {
    const int number = kFirstInherited + static_cast<int>(index);
    (void)::fcntl(number, F_SETFD, FD_CLOEXEC);
    sockets.push_back({.descriptor = net::Descriptor(number), .listener = kinds[index]});
  }
  return sockets;
}

}  // namespace millrace::server
