#include "bench/serve/tls_client.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include <openssl/ssl.h>

#include "base/error.h"
#include "bench/serve/client_socket.h"
#include "bench/serve/reply_reader.h"

namespace millrace::bench {

base::Status make_certificate(const std::string& certificate_file, const std::string& key_file) {
  const std::string command =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
      "-subj /CN=localhost -keyout " +
      key_file + " -out " + certificate_file + " 2>/dev/null";
  if (std::system(command.c_str()) == 0) return {};  // NOLINT(cert-env33-c): names are our own
  return base::fail(base::ErrorCode::kUnavailable, "Cannot make a certificate with openssl");
}

struct TlsClients::Library {
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{SSL_CTX_new(TLS_client_method()),
                                                            &SSL_CTX_free};
};

struct TlsClients::Client {
  ClientSocket socket;
  std::unique_ptr<SSL, decltype(&SSL_free)> tls;
};

TlsClients::TlsClients() : library_(std::make_unique<Library>()) {}
TlsClients::~TlsClients() = default;

base::Status TlsClients::add(std::uint16_t port, const std::string& request) {
  MR_TRY(ClientSocket socket, ClientSocket::connect(port));
  auto client = std::make_unique<Client>(
      Client{.socket = std::move(socket), .tls = {SSL_new(library_->context.get()), &SSL_free}});
  SSL* const tls = client->tls.get();
  SSL_set_fd(tls, client->socket.descriptor());
  if (SSL_connect(tls) != 1) return base::fail(base::ErrorCode::kUnavailable, "No handshake");
  const int size = static_cast<int>(request.size());
  if (SSL_write(tls, request.data(), size) != size)
    return base::fail(base::ErrorCode::kUnavailable, "Cannot send a request over TLS");
  ReplyReader reply;
  std::array<char, 4096> buffer;
  while (!reply.is_complete()) {
    const int count = SSL_read(tls, buffer.data(), static_cast<int>(buffer.size()));
    if (count <= 0 || !reply.take({buffer.data(), static_cast<std::size_t>(count)}))
      return base::fail(base::ErrorCode::kUnavailable, "No reply over TLS");
  }
  clients_.push_back(std::move(client));
  return {};
}

}  // namespace millrace::bench
