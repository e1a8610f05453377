#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/problems/problem_report.h"
#include "base/settings/setting_spec.h"
#include "base/settings/setting_values.h"
#include "host/settings.h"
#include "net/http/http_server_settings.h"
#include "observe/otlp_exporter.h"
#include "runtime/adaptive_limit.h"
#include "server/front_services.h"
#include "server/nats/nats_settings.h"

namespace millrace::server {

/// All settings of `rankd serve`, in the order of their page.
[[nodiscard]] std::span<const base::SettingSpec> settings_table();

/// The page docs/reference/settings.md.
[[nodiscard]] std::string settings_page();

/// The settings of a server, read.
struct ServerSettings {
  std::vector<std::string> listen;
  std::string admin;  ///< empty: there is no admin listener
  std::size_t connections_max = 10'000;
  net::HttpServerSettings http;
  FrontSettings front;
  std::string tls_certificate_file;  ///< empty: no TLS
  std::string tls_key_file;
  std::string tls_client_ca_file;
  runtime::AdaptiveLimitSettings limit;  ///< but for its least
  observe::OtlpOptions otlp;             ///< without a host: no trace is exported
  std::string slow_folder;               ///< of the traces of slow requests
  std::string keys_file;                 ///< empty: there are no keys
  NatsSettings nats;
  bool warmup_required = true;
  bool allow_upload = false;
  std::string state_file;  ///< empty: pins and rollbacks end with the process
  base::Duration drain_notice = std::chrono::seconds(3);
  base::Duration drain_timeout = std::chrono::seconds(25);
};

/// Takes the settings out of their values. What no single value shows to be wrong goes into the
/// report.
[[nodiscard]] ServerSettings read_server_settings(const base::SettingValues& values,
                                                  base::ProblemReport& report);

/// What one of so many loops gets: limits of the whole server are split evenly.
[[nodiscard]] net::HttpServerSettings share_of_loop(net::HttpServerSettings http,
                                                    std::size_t loop_count);

/// Sets those of the host's settings that are not defaults of the table.
void apply_to_host(const base::SettingValues& values, host::Settings& settings);

}  // namespace millrace::server
