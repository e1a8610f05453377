#include "apps/rankd/serve_flags.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/format.h"
#include "server/server_settings.h"

namespace millrace::rankd {
namespace {

/// Milliseconds as a flag has them, `2.5`, become a duration with a unit.
std::string with_unit(const std::string& milliseconds) {
  double number = 0;
  const char* const end = milliseconds.data() + milliseconds.size();
  const auto [rest, error] = std::from_chars(milliseconds.data(), end, number);
  if (error != std::errc{} || rest != end) return milliseconds;
  const auto micros = static_cast<std::int64_t>(number * 1000);
  return micros == 0 ? "0" : base::format("{}us", micros);
}

}  // namespace

void add_serve_options(CLI::App& command, ServeFlags& flags) {
  command
      .add_option_function<std::vector<std::string>>(
          "--listen",
          [&flags](const std::vector<std::string>& addresses) {
            std::string list;
            for (const std::string& address : addresses)
              list += (list.empty() ? "" : ",") + address;
            flags.settings.emplace_back("server.listen", list);
          },
          "where to listen: host:port, [v6]:port or unix:/path (default: 127.0.0.1:8080)")
      ->take_all();
  command
      .add_option_function<std::string>(
          "--port",
          [&flags](const std::string& port) {
            flags.settings.emplace_back("server.listen", "127.0.0.1:" + port);
          },
          "short for --listen 127.0.0.1:PORT; 0: any free one")
      ->excludes("--listen");
  command.add_option_function<std::string>(
      "--admin",
      [&flags](const std::string& address) {
        flags.settings.emplace_back("server.admin", address);
      },
      "a second listener for metrics and admin routes");
  const auto add_nats =
      [&](const std::string& name, const std::string& setting, const char* about) {
        command.add_option_function<std::string>(
            name,
            [&flags, setting](const std::string& value) {
              flags.settings.emplace_back(setting, value);
            },
            about);
      };
  add_nats("--nats", "nats.urls", "NATS servers that bring requests, with commas between them");
  add_nats("--nats-group", "nats.group", "queue group to join (default: rankd)");
  add_nats("--nats-prefix", "nats.prefix", "begin of subjects (default: rank)");
  add_nats("--nats-creds", "nats.creds", "file with the credentials of a NATS user");
  command.add_flag_callback(
      "--nats-required",
      [&flags] { flags.settings.emplace_back("nats.required", "true"); },
      "not ready without a connection to NATS");
  command
      .add_option_function<std::vector<std::string>>(
          "--set",
          [&flags](const std::vector<std::string>& items) {
            for (const std::string& item : items) {
              // Without an equals sign the whole word is a name, which no setting has.
              const std::size_t equals = std::min(item.find('='), item.size());
              const std::size_t value = std::min(equals + 1, item.size());
              flags.settings.emplace_back(item.substr(0, equals), item.substr(value));
            }
          },
          "a setting, as section.name=value; docs/reference/settings.md lists them")
      ->take_all();
  command.add_option("--config", flags.config_file, "a file of settings, in TOML");
  command.add_flag("--check-config", flags.check_config, "report what is wrong with settings, end");
  command.add_flag("--print-config", flags.print_config, "show every setting and its source, end");
}

void add_common_settings(const CLI::App& app, ServeFlags& flags) {
  std::vector<std::pair<std::string, std::string>> common;
  for (const base::SettingSpec& spec : server::settings_table()) {
    const CLI::Option* const option = app.get_option_no_throw(std::string(spec.flag));
    if (spec.flag.empty() || option == nullptr || option->count() == 0) continue;
    const std::string value = option->results().back();
    common.emplace_back(spec.name, spec.flag.ends_with("_ms") ? with_unit(value) : value);
  }
  flags.settings.insert(flags.settings.begin(), common.begin(), common.end());
}

}  // namespace millrace::rankd
