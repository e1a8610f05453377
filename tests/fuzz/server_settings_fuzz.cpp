// For any text, reading it as the settings file of `rankd serve` gives settings, and says what is
// wrong where something is.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/problems/problem_report.h"
#include "base/settings/setting_values.h"
#include "server/server_settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace millrace;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  base::ProblemReport report;
  const auto values = base::SettingValues::read(
      server::settings_table(), {.file_name = "rankd.toml", .file_text = text}, report);
  const server::ServerSettings settings = server::read_server_settings(values, report);
  MR_CHECK(report.has_errors() || settings.connections_max > 0);
  MR_CHECK(!report.has_errors() || !report.to_text().empty());
  MR_CHECK(!values.to_text().empty());
  return 0;
}
