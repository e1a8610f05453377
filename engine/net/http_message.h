#pragma once

#include <cstddef>
#include <string>

#include "net/http_head.h"

namespace millrace::net {

/// What is asked of an HTTP server.
struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  ///< path and query, percent-encoded
  std::string body = {};
  /// Sent in this order. The client adds `Host`, `Content-Length` and, where they are not here,
  /// `Accept`, `Accept-Encoding`, `User-Agent` and for a body `Content-Type: application/json`.
  HttpFields fields = {};
};

struct HttpReply {
  int status = 0;
  std::string body = {};
  HttpFields fields = {};
};

/// What is read of a request or a reply at most.
struct HttpLimits {
  /// Everything that is not body: first line, fields, trailers, interim replies with theirs, and
  /// what frames chunks beyond 16 bytes per byte of body.
  std::size_t header_bytes_max = std::size_t{32} << 10;
  std::size_t body_bytes_max = std::size_t{1} << 20;
  std::size_t field_count_max = 1000;
  std::size_t target_bytes_max = std::size_t{8} << 10;  ///< of a request
};

}  // namespace millrace::net
