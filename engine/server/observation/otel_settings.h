#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/problems/problem_report.h"
#include "base/result.h"
#include "base/settings/setting_values.h"
#include "observe/otlp_exporter.h"
#include "server/server_settings.h"

namespace millrace::server {

/// Reads where a collector is, `http://host:port` or `https://host:port/path`, into the options.
[[nodiscard]] base::Status read_collector_url(std::string_view url, observe::OtlpOptions& options);

/// Reads how traces are exported: our own settings, and where these are empty the variables that
/// OpenTelemetry names: `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS`,
/// `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER` with its `_ARG`, and
/// `OTEL_SDK_DISABLED`.
void read_otel_settings(const base::SettingValues& values,
                        std::span<const std::pair<std::string, std::string>> environment,
                        ServerSettings& settings,
                        base::ProblemReport& report);

}  // namespace millrace::server
