#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/stream.h"

struct ssl_ctx_st;
struct ssl_st;

namespace millrace::net {

enum class TlsRole : std::uint8_t { kClient, kServer };

/// Certificates and settings that many connections share; the files are read once. TLS 1.2 and 1.3.
/// Threading: any thread; immutable.
class TlsContext {
 public:
  /// Reads the files. A server needs a certificate and its key; with a `ca_file` it also asks its
  /// clients for a certificate.
  [[nodiscard]] static base::Result<std::shared_ptr<const TlsContext>> make(
      const TlsOptions& options, TlsRole role);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  struct SslDeleter {
    void operator()(ssl_st* ssl) const;
  };
  using Ssl = std::unique_ptr<ssl_st, SslDeleter>;

  /// The state of one connection, with a pair of memory buffers as its network. A client wants
  /// `peer_name`, a host name or an IP address, to be what the certificate proves.
  [[nodiscard]] base::Result<Ssl> open(const std::string& peer_name) const;

  [[nodiscard]] const TlsOptions& options() const { return options_; }

 private:
  TlsContext(ssl_ctx_st* context, TlsOptions options, TlsRole role);
  [[nodiscard]] base::Status read_files();
  void announce_protocol();

  ssl_ctx_st* const context_;
  const TlsOptions options_;
  const TlsRole role_;
  std::string protocol_list_;  // in the form of ALPN; constant after `make`
};

/// What OpenSSL says of the last thing that failed on this thread.
[[nodiscard]] std::string last_tls_error();

}  // namespace millrace::net
