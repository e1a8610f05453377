#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string_view>

#include "net/http_head.h"
#include "server/access/access_keys.h"
#include "server/problem.h"
#include "server/route_table.h"

// Who may use which route (S37), as a function of the route, the key file, the peer and the head:
//
//   health           everyone
//   routes marked A  over a unix socket everyone who can open it; over TCP with a key file a key
//                    with `admin`, without one only clients of the same machine
//   all others       without a key file everyone, else every key
//
// Which plans a key covers is decided where the plan is known (`rank::CallRights`).

namespace millrace::server {

/// Where a client is.
enum class PeerKind : std::uint8_t { kUnixSocket, kLoopback, kRemote };

/// Reads what `HttpExchange::peer` says. Whatever cannot be read is `kRemote`.
[[nodiscard]] PeerKind peer_kind_of(std::string_view peer);

/// The key of a request; nullptr: it needs none, and everything is allowed to it.
using GrantedKey = std::shared_ptr<const AccessKey>;

/// Decides whether a request may use a route. `keys` is nullptr if there is no key file.
[[nodiscard]] std::expected<GrantedKey, RequestProblem> check_access(
    const std::shared_ptr<const AccessKeys>& keys,
    const Route& route,
    std::string_view peer,
    const net::HttpFields& fields);

/// One ranking request as its key's quota counts it. Gives its place back when destroyed.
/// Threading: not shared; may move between threads.
class [[nodiscard]] QuotaPlace {
 public:
  QuotaPlace() = default;
  QuotaPlace(QuotaPlace&&) = default;
  QuotaPlace& operator=(QuotaPlace&& other) noexcept;
  ~QuotaPlace() { release(); }

  /// Takes a place for one request of this key, which may be nullptr. `rate_limited`: its rate or
  /// its number of requests under way is used up.
  [[nodiscard]] static std::expected<QuotaPlace, RequestProblem> take(const GrantedKey& key,
                                                                      base::TimePoint now);
  void release();

 private:
  std::shared_ptr<KeyUsage> entered_;
};

}  // namespace millrace::server
