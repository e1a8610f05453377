#include "net/tls_context.h"

#include <memory>
#include <string>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/error.h"
#include "base/result.h"
#include "net/stream.h"

namespace millrace::net {
namespace {

using base::ErrorCode;
using base::fail;

std::unexpected<base::Error> refuse_tls(const char* what, const std::string& file) {
  return fail(ErrorCode::kInvalidArgument, std::string(what) + ": " + last_tls_error(), file);
}

bool is_ip_address(const std::string& name) {
  ASN1_OCTET_STRING* const address = a2i_IPADDRESS(name.c_str());
  ASN1_OCTET_STRING_free(address);
  return address != nullptr;
}

/// Says whom the certificate must name, and asks for that name.
bool expect_peer(SSL* ssl, const std::string& name) {
  if (is_ip_address(name)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str()) == 1;
  }
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(ssl, name.c_str()) == 1 &&
         SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;  // NOLINT: a macro with a C cast
}

/// What a client offers in a TLS handshake, in the form of ALPN.
struct OfferedProtocols {
  const unsigned char* list;
  unsigned size;
};

/// Agrees on the protocol of the server, if the client offers it.
int select_protocol(const std::string& own,
                    OfferedProtocols offered,
                    const unsigned char** chosen,
                    unsigned char* chosen_size) {
  unsigned char* found = nullptr;
  const int result = SSL_select_next_proto(&found,
                                           chosen_size,
                                           reinterpret_cast<const unsigned char*>(own.data()),
                                           static_cast<unsigned>(own.size()),
                                           offered.list,
                                           offered.size);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

std::string last_tls_error() {
  const unsigned long code = ERR_peek_error();  // NOLINT(google-runtime-int): OpenSSL's type
  ERR_clear_error();
  if (code == 0) return "unknown reason";
  if (ERR_SYSTEM_ERROR(code)) return "cannot read the file";
  const char* const reason = ERR_reason_error_string(code);
  return reason == nullptr ? "code " + std::to_string(code) : reason;
}

void TlsContext::SslDeleter::operator()(ssl_st* ssl) const { SSL_free(ssl); }

TlsContext::TlsContext(ssl_ctx_st* context, TlsOptions options, TlsRole role)
    : context_(context), options_(std::move(options)), role_(role) {}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

base::Result<std::shared_ptr<const TlsContext>> TlsContext::make(const TlsOptions& options,
                                                                 TlsRole role) {
  ERR_clear_error();
  SSL_CTX* const context =
      SSL_CTX_new(role == TlsRole::kClient ? TLS_client_method() : TLS_server_method());
  if (context == nullptr) return refuse_tls("Cannot set up TLS", {});
  std::shared_ptr<TlsContext> made(new TlsContext(context, options, role));
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Frees the buffers of connections that are idle.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  MR_TRY_STATUS(made->read_files());
  made->announce_protocol();
  return std::shared_ptr<const TlsContext>(std::move(made));
}

void TlsContext::announce_protocol() {
  if (options_.protocol.empty()) return;
  protocol_list_ = static_cast<char>(options_.protocol.size()) + options_.protocol;
  if (role_ == TlsRole::kServer) {
    SSL_CTX_set_alpn_select_cb(
        context_,
        [](SSL*, auto** chosen, auto* chosen_size, const auto* list, unsigned size, void* own) {
          return select_protocol(*static_cast<const std::string*>(own),
                                 {.list = list, .size = size},
                                 chosen,
                                 chosen_size);
        },
        &protocol_list_);
  } else {
    SSL_CTX_set_alpn_protos(context_,
                            reinterpret_cast<const unsigned char*>(protocol_list_.data()),
                            static_cast<unsigned>(protocol_list_.size()));
  }
}

base::Status TlsContext::read_files() {
  const bool asks_for_proof =
      role_ == TlsRole::kClient ? options_.verify : !options_.ca_file.empty();
  if (role_ == TlsRole::kServer && options_.certificate_file.empty()) {
    return fail(ErrorCode::kInvalidArgument, "A TLS server needs a certificate");
  }
  if (!options_.ca_file.empty()) {
    if (SSL_CTX_load_verify_file(context_, options_.ca_file.c_str()) != 1) {
      return refuse_tls("Cannot read the certificate authorities", options_.ca_file);
    }
  } else if (asks_for_proof && SSL_CTX_set_default_verify_paths(context_) != 1) {
    return refuse_tls("Cannot find the system's certificate authorities", {});
  }
  const int mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  SSL_CTX_set_verify(context_, asks_for_proof ? mode : SSL_VERIFY_NONE, nullptr);
  if (options_.certificate_file.empty()) return {};
  const char* const certificate = options_.certificate_file.c_str();
  if (SSL_CTX_use_certificate_chain_file(context_, certificate) != 1) {
    return refuse_tls("Cannot read the certificate", options_.certificate_file);
  }
  const std::string& key =
      options_.key_file.empty() ? options_.certificate_file : options_.key_file;
  if (SSL_CTX_use_PrivateKey_file(context_, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return refuse_tls("Cannot use the private key", key);
  }
  return {};
}

base::Result<TlsContext::Ssl> TlsContext::open(const std::string& peer_name) const {
  ERR_clear_error();
  Ssl ssl(SSL_new(context_));
  BIO* const from_network = BIO_new(BIO_s_mem());
  BIO* const to_network = BIO_new(BIO_s_mem());
  if (ssl == nullptr || from_network == nullptr || to_network == nullptr) {
    BIO_free(from_network);
    BIO_free(to_network);
    return fail(ErrorCode::kResourceExhausted, "Cannot set up a TLS connection");
  }
  // An empty buffer means that more bytes may come, not that the connection has ended.
  BIO_set_mem_eof_return(from_network, -1);
  BIO_set_mem_eof_return(to_network, -1);
  SSL_set_bio(ssl.get(), from_network, to_network);
  if (role_ == TlsRole::kServer) {
    SSL_set_accept_state(ssl.get());
    return ssl;
  }
  SSL_set_connect_state(ssl.get());
  const std::string& name = options_.server_name.empty() ? peer_name : options_.server_name;
  if (name.empty() && options_.verify) {
    return fail(ErrorCode::kInvalidArgument, "TLS to a unix socket needs a server name");
  }
  if (!name.empty() && !expect_peer(ssl.get(), name)) {
    return refuse_tls("Cannot ask for a server name", name);
  }
  return ssl;
}

}  // namespace millrace::net
