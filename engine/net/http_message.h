#pragma once

#include <cstddef>
#include <string>

namespace millrace::net {

/// What is asked of an HTTP server.
struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  ///< path and query, percent-encoded
  std::string body = {};
};

struct HttpReply {
  int status = 0;
  std::string body = {};
};

/// What is read of a reply at most.
struct HttpLimits {
  /// Everything that is not body: status line, headers, trailers, and interim replies with theirs.
  std::size_t header_bytes_max = std::size_t{32} << 10;
  std::size_t body_bytes_max = std::size_t{1} << 20;
};

}  // namespace millrace::net
