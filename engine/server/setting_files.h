#pragma once

#include <optional>
#include <string>

#include "base/problems/problem_report.h"
#include "net/stream.h"
#include "server/access/access_keys.h"
#include "server/server_settings.h"

// The files that settings name.

namespace millrace::server {

/// Reads a file of keys; `previous` as for `AccessKeys::read`. What is wrong goes into the report.
[[nodiscard]] AccessKeys read_keys_file(const std::string& path,
                                        const AccessKeys* previous,
                                        base::ProblemReport& report);

/// The certificates of the main listener; nothing: it has no TLS.
[[nodiscard]] std::optional<net::TlsOptions> tls_options(const ServerSettings& settings);

/// Reads keys and certificates as a start would, and reports what is wrong with them.
void check_setting_files(const ServerSettings& settings, base::ProblemReport& report);

}  // namespace millrace::server
