#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace millrace::net {

/// The longest path of a unix socket: what `sockaddr_un` holds without the zero at its end.
inline constexpr std::size_t kUnixPathMax = 107;

/// Where a peer listens: a host and a port, or a unix socket.
struct Address {
  std::string host = {};  ///< name, IPv4 or IPv6 address, without brackets
  std::uint16_t port = 0;
  std::string unix_path = {};  ///< a unix socket if not empty; then host and port are not used

  [[nodiscard]] bool is_unix() const { return !unix_path.empty(); }
  friend bool operator==(const Address&, const Address&) = default;
};

/// Reads `host:port`, `[::1]:port` or `unix:/path`.
[[nodiscard]] base::Result<Address> parse_address(std::string_view text);

/// The same for a place to listen at: port 0 takes a free one.
[[nodiscard]] base::Result<Address> parse_listen_address(std::string_view text);

/// Gives the form that `parse_address` reads.
[[nodiscard]] std::string to_string(const Address& address);

}  // namespace millrace::net
