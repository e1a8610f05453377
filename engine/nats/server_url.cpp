#include "nats/server_url.h"

#include <string_view>

#include "base/error.h"
#include "base/format.h"

namespace millrace::nats {

base::Status check_server_url(const std::string& url) {
  std::string_view rest = url;
  if (const std::size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    const std::string_view name = rest.substr(0, scheme);
    if (name != "nats" && name != "tls") {
      return base::fail(
          base::ErrorCode::kInvalidArgument,
          base::format("A server of NATS begins with nats:// or tls://, not {}://", name));
    }
    rest.remove_prefix(scheme + 3);
  }
  if (rest.find('@') != std::string_view::npos) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "The address of a NATS server must not have a user or a password in it");
  }
  if (rest.empty() || rest.starts_with(':') || rest.find_first_of(" \t/") != std::string_view::npos)
    return base::fail(base::ErrorCode::kInvalidArgument,
                      base::format("Not the address of a NATS server: '{}'", url));
  return {};
}

}  // namespace millrace::nats
