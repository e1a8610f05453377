#include "stores/connect_options.h"

#include <filesystem>
#include <string>

#include "net/address.h"
#include "net/stream.h"
#include "plan/registry/registry.h"

namespace millrace::stores {
namespace {

std::string below(const std::string& root, const std::string& file) {
  return file.empty() ? file : (std::filesystem::path(root) / file).string();
}

}  // namespace

net::Address address_of(const plan::EndpointInfo& endpoint) {
  return {.host = endpoint.host, .port = endpoint.port, .unix_path = endpoint.unix_path};
}

net::ConnectOptions connect_options_of(const plan::EndpointInfo& endpoint,
                                       const std::string& root) {
  net::ConnectOptions options{.connect_timeout = endpoint.policy.connect_timeout};
  if (!endpoint.tls) return options;
  options.tls = net::TlsOptions{.ca_file = below(root, endpoint.tls->ca_file),
                                .certificate_file = below(root, endpoint.tls->certificate_file),
                                .key_file = below(root, endpoint.tls->key_file),
                                .server_name = endpoint.tls->server_name,
                                .verify = endpoint.tls->verify};
  return options;
}

}  // namespace millrace::stores
