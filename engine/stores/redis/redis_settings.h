#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/log/log.h"
#include "net/address.h"
#include "net/breaker.h"
#include "net/stream.h"

namespace millrace::stores {

/// What a connection tells the server first.
struct GreetingSettings {
  std::string username = {};   ///< the default user if empty
  std::string password = {};   ///< no AUTH if empty
  std::uint32_t database = 0;  ///< SELECT, if not 0
  std::uint32_t protocol = 3;  ///< 3: asks for RESP3 and takes RESP2 if refused; 2: RESP2
  bool tracking = false;       ///< asks for invalidations; RESP3 only
};

/// When calls are refused without asking the server. One failure is a connection that was lost or
/// not made, or a moment at which calls ran out of time: so one bad connection of several that
/// carries many calls does not look like a dead server. The time that a breaker stays open does not
/// grow, because a connection that comes up closes the breaker.
inline constexpr net::BreakerOptions kBreakerDefaults{.failure_share_max = 2,
                                                      .open_min = std::chrono::milliseconds(200),
                                                      .open_max = std::chrono::milliseconds(200)};

/// How long to wait between attempts to connect: doubles from `first` up to `longest`, and each is
/// shortened by up to half by chance.
struct BackoffSettings {
  base::Duration first = std::chrono::milliseconds(10);
  base::Duration longest = std::chrono::milliseconds(400);
};

/// One server and how to use it.
struct PoolSettings {
  net::Address address = {};
  net::ConnectOptions connect = {};
  GreetingSettings greeting = {};
  net::BreakerOptions breaker = kBreakerDefaults;
  BackoffSettings backoff = {};
  std::uint32_t connections = 1;
  std::uint32_t commands_max = 256;  ///< in flight, over all connections
  base::Duration request_timeout = std::chrono::seconds(1);
  std::string endpoint = {};    ///< name in log lines
  base::Logger* log = nullptr;  ///< outlives the client; null: nothing is logged
};

/// A store on one server or on a cluster.
struct RedisSettings {
  PoolSettings pool = {};  ///< of a cluster: that of each node; the address is asked first
  bool cluster = false;
  bool single_flight = true;     ///< whether reads that are in flight already are shared
  base::Duration hedge_after{};  ///< after this wait a second connection is asked; 0: never
  base::Duration cache_ttl{};    ///< how long replies may be used again; 0: not at all
  std::size_t cache_bytes_max = std::size_t{16} << 20U;
};

}  // namespace millrace::stores
