#include "server/setting_files.h"

#include <cstddef>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/settings/setting_values.h"
#include "base/text_file.h"
#include "net/tls_context.h"

namespace millrace::server {
namespace {

constexpr std::size_t kKeysFileBytesMax = std::size_t{1} << 20;

void add_bad_file(const std::string& setting,
                  const base::Error& error,
                  base::ProblemReport& report) {
  report.add({.code = base::SettingProblemCode::kBadSetting,
              .message = "The file of '" + setting + "' cannot be used: " + error.to_string()});
}

}  // namespace

AccessKeys read_keys_file(const std::string& path,
                          const AccessKeys* previous,
                          base::ProblemReport& report) {
  const auto text = base::read_text_file(path, kKeysFileBytesMax);
  if (text) return AccessKeys::read(*text, path, previous, report);
  add_bad_file("auth.keys_file", text.error(), report);
  return {};
}

std::optional<net::TlsOptions> tls_options(const ServerSettings& settings) {
  if (settings.tls_certificate_file.empty()) return std::nullopt;
  return net::TlsOptions{.ca_file = settings.tls_client_ca_file,
                         .certificate_file = settings.tls_certificate_file,
                         .key_file = settings.tls_key_file,
                         .protocol = "http/1.1"};
}

void check_setting_files(const ServerSettings& settings, base::ProblemReport& report) {
  if (!settings.keys_file.empty()) (void)read_keys_file(settings.keys_file, nullptr, report);
  const std::optional<net::TlsOptions> tls = tls_options(settings);
  if (!tls) return;
  const auto made = net::TlsContext::make(*tls, net::TlsRole::kServer);
  if (!made) add_bad_file("tls.cert", made.error(), report);
}

}  // namespace millrace::server
