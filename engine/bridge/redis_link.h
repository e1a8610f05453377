#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "net/address.h"
#include "stores/redis/protocol/resp_value.h"

namespace millrace::bridge {

struct RedisLinkSettings {
  net::Address address = {};
  std::int64_t database = 0;
  std::string password = {};  ///< empty: none is sent
};

/// A connection to one Redis server for bodies, which may wait. It connects when it is needed and
/// again after it was lost.
/// Threading: not shared.
class RedisLink {
 public:
  virtual ~RedisLink() = default;
  /// Sends a command and waits for its reply, at most that long; connecting included. Fails with
  /// `kUnavailable` if there is no server or the connection is lost, and with `kTimeout`; then it
  /// is not known whether the server has executed the command. An error of the server is a reply.
  [[nodiscard]] virtual base::Result<stores::RespValue> call(std::span<const std::string> words,
                                                             base::Duration wait_max) = 0;
};

using RedisLinkFactory = std::function<std::unique_ptr<RedisLink>(const RedisLinkSettings&)>;

/// A link over a socket.
[[nodiscard]] std::unique_ptr<RedisLink> make_redis_link(const RedisLinkSettings& settings);

}  // namespace millrace::bridge
