#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "net/address.h"
#include "net/http_message.h"

namespace millrace::bridge {

/// The parts of `http://HOST[:PORT][/PATH]`.
struct HttpPlace {
  net::Address address = {};
  std::string target = "/";
};

[[nodiscard]] base::Result<HttpPlace> parse_http_place(std::string_view url);

struct HttpLinkSettings {
  HttpPlace place = {};
  base::Duration timeout{};
  std::size_t body_bytes_max = 0;
};

/// Gets a page for bodies, which may wait.
/// Threading: not shared.
class HttpLink {
 public:
  virtual ~HttpLink() = default;
  /// Gives the reply, whatever its status; or why there is none: `kTimeout`, `kUnavailable` or
  /// `kResourceExhausted` (too large).
  [[nodiscard]] virtual base::Result<net::HttpReply> get() = 0;
};

using HttpLinkFactory =
    std::function<base::Result<std::unique_ptr<HttpLink>>(const HttpLinkSettings&)>;

/// A link with an event loop of its own and a connection for each request.
[[nodiscard]] base::Result<std::unique_ptr<HttpLink>> make_http_link(
    const HttpLinkSettings& settings);

}  // namespace millrace::bridge
