#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace millrace::bench {

/// Makes a certificate that signs itself.
[[nodiscard]] base::Status make_certificate(const std::string& certificate_file,
                                            const std::string& key_file);

/// Connections with TLS that stay open.
/// Threading: not shared.
class TlsClients {
 public:
  TlsClients();
  ~TlsClients();
  TlsClients(const TlsClients&) = delete;
  TlsClients& operator=(const TlsClients&) = delete;

  /// Opens one more, sends a request and waits for its reply.
  [[nodiscard]] base::Status add(std::uint16_t port, const std::string& request);

 private:
  struct Library;
  struct Client;
  std::unique_ptr<Library> library_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace millrace::bench
