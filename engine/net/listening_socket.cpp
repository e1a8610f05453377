#include "net/listening_socket.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/result.h"
#include "net/address.h"
#include "net/descriptor.h"

namespace millrace::net {
namespace {

using base::ErrorCode;

constexpr const char* kUnixPeer = "a unix socket";

std::unexpected<base::Error> cannot_listen(const std::string& why, const Address& address) {
  return base::fail(ErrorCode::kUnavailable, "Cannot listen: " + why, to_string(address));
}

std::string text_of(int error) { return std::strerror(error); }

sockaddr_un unix_name(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());
  return name;
}

/// An IPv4 or IPv6 address for the kernel; nothing if `host` is neither.
struct IpName {
  sockaddr_storage storage{};
  socklen_t size = 0;
};
std::optional<IpName> ip_name(const Address& address) {
  IpName name;
  auto& v4 = reinterpret_cast<sockaddr_in&>(name.storage);
  if (inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    name.size = sizeof v4;
    return name;
  }
  auto& v6 = reinterpret_cast<sockaddr_in6&>(name.storage);
  if (inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    name.size = sizeof v6;
    return name;
  }
  return std::nullopt;
}

/// What the kernel says of an address, as ours. Peers of unix sockets usually have no path.
Address address_from(const sockaddr_storage& name, socklen_t size) {
  Address address;
  std::array<char, INET6_ADDRSTRLEN> host{};
  if (name.ss_family == AF_UNIX) {
    const auto& local = reinterpret_cast<const sockaddr_un&>(name);
    const std::size_t start = offsetof(sockaddr_un, sun_path);
    if (size > start) {
      address.unix_path.assign(local.sun_path, ::strnlen(local.sun_path, size - start));
    }
  } else if (name.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(name);
    address.host = inet_ntop(AF_INET, &v4.sin_addr, host.data(), host.size());
    address.port = ntohs(v4.sin_port);
  } else if (name.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(name);
    address.host = inet_ntop(AF_INET6, &v6.sin6_addr, host.data(), host.size());
    address.port = ntohs(v6.sin6_port);
  }
  return address;
}

/// Removes the path of a unix socket where nobody listens; an error if somebody does.
base::Status remove_dead_path(const Address& address) {
  const std::string& path = address.unix_path;
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) return {};
  if (!S_ISSOCK(found.st_mode)) return cannot_listen("the path exists and is no socket", address);
  const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!probe.is_open()) return cannot_listen(text_of(errno), address);
  const sockaddr_un name = unix_name(path);
  const int result = ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name);
  // Any other error, for instance that the backlog is full, means that somebody listens.
  if (result == 0 || errno != ECONNREFUSED) {
    return cannot_listen("another process listens on this path", address);
  }
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return cannot_listen("cannot remove the dead path: " + text_of(errno), address);
  }
  return {};
}

int socket_option(int descriptor, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  if (::getsockopt(descriptor, SOL_SOCKET, option, &value, &size) != 0) return -1;
  return value;
}

}  // namespace

ListeningSocket::ListeningSocket(Descriptor descriptor, Address address)
    : descriptor_(std::move(descriptor)), address_(std::move(address)) {}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      address_(other.address_),
      last_errno_(other.last_errno_),
      own_path_(std::exchange(other.own_path_, std::nullopt)) {}

base::Result<ListeningSocket> ListeningSocket::open(const Address& address, int backlog) {
  int family = AF_UNIX;
  if (!address.is_unix()) {
    const auto name = ip_name(address);
    if (!name) return cannot_listen("the host is no IP address", address);
    family = name->storage.ss_family;
  } else if (address.unix_path.size() > kUnixPathMax) {
    return cannot_listen("the path is too long", address);
  }
  Descriptor descriptor(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!descriptor.is_open()) return cannot_listen(text_of(errno), address);
  ListeningSocket socket(std::move(descriptor), address);
  MR_TRY_STATUS(address.is_unix() ? socket.bind_unix() : socket.bind_ip());
  if (::listen(socket.descriptor(), backlog) != 0) return cannot_listen(text_of(errno), address);
  if (!address.is_unix()) MR_TRY_STATUS(socket.read_address());
  return socket;
}

base::Result<ListeningSocket> ListeningSocket::inherit(Descriptor descriptor) {
  ListeningSocket socket(std::move(descriptor), {});
  const int number = socket.descriptor();
  if (socket_option(number, SO_ACCEPTCONN) != 1 || socket_option(number, SO_TYPE) != SOCK_STREAM) {
    return base::fail(
        ErrorCode::kInvalidArgument,
        "The inherited descriptor is no listening stream socket: " + std::to_string(number));
  }
  const int flags = ::fcntl(number, F_GETFL);
  if (::fcntl(number, F_SETFL, flags | O_NONBLOCK) != 0 ||
      ::fcntl(number, F_SETFD, FD_CLOEXEC) != 0) {
    return base::fail(ErrorCode::kUnavailable,
                      "Cannot use the inherited descriptor: " + text_of(errno));
  }
  MR_TRY_STATUS(socket.read_address());
  return socket;
}

base::Status ListeningSocket::bind_unix() {
  MR_TRY_STATUS(remove_dead_path(address_));
  const char* const path = address_.unix_path.c_str();
  const sockaddr_un name = unix_name(address_.unix_path);
  if (::bind(descriptor(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
    return cannot_listen(text_of(errno), address_);
  }
  struct stat made{};
  if (::lstat(path, &made) == 0) own_path_ = {.device = made.st_dev, .inode = made.st_ino};
  // Nobody can connect before `listen`, so nobody gets in with other rights.
  if (::chmod(path, kUnixMode) != 0) return cannot_listen(text_of(errno), address_);
  return {};
}

base::Status ListeningSocket::bind_ip() {
  const int on = 1;
  // A server that restarts may take its port while old connections linger in the kernel.
  ::setsockopt(descriptor(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const auto name = ip_name(address_);
  if (::bind(descriptor(), reinterpret_cast<const sockaddr*>(&name->storage), name->size) != 0) {
    return cannot_listen(text_of(errno), address_);
  }
  return {};
}

base::Status ListeningSocket::read_address() {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (::getsockname(descriptor(), reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return cannot_listen(text_of(errno), address_);
  }
  address_ = address_from(name, size);
  return {};
}

std::variant<ListeningSocket::Accepted, ListeningSocket::Nothing> ListeningSocket::accept() {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  const int number = ::accept4(
      descriptor(), reinterpret_cast<sockaddr*>(&name), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (number >= 0) {
    std::string peer = name.ss_family == AF_UNIX ? kUnixPeer : to_string(address_from(name, size));
    return Accepted{.descriptor = Descriptor(number), .peer = std::move(peer)};
  }
  last_errno_ = errno;
  switch (last_errno_) {
    case EAGAIN:
      return Nothing::kNoneWaits;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return Nothing::kNoResource;
    default:
      // Linux reports errors of the new connection here, and a signal may interrupt the call.
      return Nothing::kTryAgain;
  }
}

base::Error ListeningSocket::last_error() const {
  return {ErrorCode::kResourceExhausted,
          "Cannot accept connections: " + text_of(last_errno_),
          to_string(address_)};
}

void ListeningSocket::close() {
  if (own_path_) {
    const PathOwner own = *std::exchange(own_path_, std::nullopt);
    struct stat found{};
    const char* const path = address_.unix_path.c_str();
    if (::lstat(path, &found) == 0 && found.st_dev == own.device && found.st_ino == own.inode) {
      ::unlink(path);
    }
  }
  descriptor_.reset();
}

}  // namespace millrace::net
