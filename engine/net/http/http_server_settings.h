#pragma once

#include <chrono>
#include <cstddef>

#include "base/clock.h"
#include "net/http_message.h"

namespace millrace::net {

/// What a server allows its clients. Each loop has its own server.
struct HttpServerSettings {
  /// Of the head, with leading empty lines, trailers and extensions of chunks. Bodies are limited
  /// by who receives them.
  HttpLimits limits = {.header_bytes_max = std::size_t{16} << 10,
                       .field_count_max = 100,
                       .target_bytes_max = std::size_t{4} << 10};
  /// From the first byte of a head to its end.
  base::Duration head_timeout = std::chrono::seconds(5);
  /// From the end of the head to the end of the body.
  base::Duration body_timeout = std::chrono::seconds(10);
  /// How long a connection may stay without a request.
  base::Duration idle_timeout = std::chrono::seconds(75);
  /// How long a client may take no byte of what waits for it.
  base::Duration write_timeout = std::chrono::seconds(10);
  /// Connections of this loop inside a head or a body; beyond that the oldest is answered 408.
  std::size_t reading_max = 1000;
  /// Whether a client that ends its side during a request has given it up.
  bool abort_on_half_close = true;
  /// Replies from this size on are compressed for clients that accept it.
  std::size_t gzip_bytes_min = 1024;
  /// Replies above this size are compressed by a worker, if there is one.
  std::size_t gzip_on_loop_bytes_max = std::size_t{16} << 10;
};

/// Bytes of later requests that are read while one is answered; then reading pauses.
inline constexpr std::size_t kHttpAheadBytesMax = std::size_t{64} << 10;
/// What is still read, and dropped, of a request that was answered before its end.
inline constexpr std::size_t kHttpLingerBytesMax = std::size_t{256} << 10;
inline constexpr base::Duration kHttpLingerTime = std::chrono::seconds(1);
/// No request of a pipeline begins while more bytes of earlier replies wait for the client.
inline constexpr std::size_t kHttpUnsentBytesMax = std::size_t{64} << 10;
/// So many requests of one connection are begun before other events of the loop get their turn.
inline constexpr int kHttpRequestsPerTurnMax = 16;
/// Once requests took this time in a turn of the loop, only connections none of whose requests wait
/// begin another one in it. All others go on in later turns.
inline constexpr base::Duration kHttpTurnTime = std::chrono::microseconds(500);

}  // namespace millrace::net
