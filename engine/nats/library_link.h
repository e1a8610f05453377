#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "nats/link.h"

namespace millrace::nats {

struct LinkSettings {
  std::vector<std::string> urls = {};  ///< `nats://host:port` or `tls://host:port`
  std::string name = "rankd";          ///< what the server's monitoring calls the connection
  std::string credentials_file = {};
  std::string user = {};
  std::string password = {};
  std::string tls_ca_file = {};  ///< empty: the authorities of the system
  std::string tls_certificate_file = {};
  std::string tls_key_file = {};
  /// Whether what is published without a connection is refused. Else the library keeps some
  /// megabytes of it and sends them when it is connected again.
  bool drops_while_down = true;
  /// Whether a server that does not answer at first is tried for ever. Else opening fails.
  bool waits_for_server = true;
};

/// Makes a link on libnats. It need not be connected when this returns; it fails if the
/// settings can never work, such as a file that cannot be read, and if it is not to wait for a
/// server. Lifetime: borrows the observer, which hears nothing more once the link is destroyed.
[[nodiscard]] base::Result<std::unique_ptr<Link>> open_link(const LinkSettings& settings,
                                                            LinkObserver& observer);

}  // namespace millrace::nats
