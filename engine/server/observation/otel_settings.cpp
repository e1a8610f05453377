#include "server/observation/otel_settings.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "net/address.h"

namespace millrace::server {
namespace {

constexpr std::string_view kTracesPath = "/v1/traces";

std::unexpected<base::Error> refuse_url(std::string_view why) {
  return base::fail(base::ErrorCode::kInvalidArgument, std::string(why));
}

std::optional<double> find_share(std::string_view text) {
  double share = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  if (text.empty() || !is_number || !(share >= 0 && share <= 1)) return std::nullopt;
  return share;
}

/// The variables of OpenTelemetry.
class Variables {
 public:
  explicit Variables(std::span<const std::pair<std::string, std::string>> variables)
      : variables_(variables) {}
  [[nodiscard]] std::string_view find(std::string_view name) const {
    for (const auto& [key, value] : variables_) {
      if (key == name) return value;
    }
    return {};
  }

 private:
  std::span<const std::pair<std::string, std::string>> variables_;
};

void add_problem(std::string message, std::string hint, base::ProblemReport& report) {
  report.add({.code = base::SettingProblemCode::kBadSetting,
              .message = std::move(message),
              .hint = std::move(hint)});
}

/// Calls `take` with each `name=value` of a list with commas.
template <class Take>
void for_each_pair(std::string_view list, Take take) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view item = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    take(item.substr(0, equals), item.substr(equals + 1));
  }
}

/// The share that `OTEL_TRACES_SAMPLER` and its argument stand for; nothing if they are unknown.
std::optional<double> sampler_share(const Variables& variables) {
  const std::string_view sampler = variables.find("OTEL_TRACES_SAMPLER");
  if (sampler.empty() || sampler.ends_with("always_off")) return 0;
  if (sampler.ends_with("always_on")) return 1;
  if (!sampler.ends_with("traceidratio")) return std::nullopt;
  const std::string_view argument = variables.find("OTEL_TRACES_SAMPLER_ARG");
  return argument.empty() ? 1 : find_share(argument);
}

}  // namespace

base::Status read_collector_url(std::string_view url, observe::OtlpOptions& options) {
  const bool is_secure = url.starts_with("https://");
  if (!is_secure && !url.starts_with("http://"))
    return refuse_url("it must begin with http:// or https://");
  url.remove_prefix(is_secure ? 8 : 7);
  const std::size_t slash = std::min(url.find('/'), url.size());
  std::string place(url.substr(0, slash));
  std::string path(url.substr(slash));
  while (path.ends_with('/')) path.pop_back();
  if (path.find_first_of(" ?#\r\n") != std::string::npos)
    return refuse_url("its path has a character that no path may have");
  const bool has_port = place.rfind(':') != std::string::npos && !place.ends_with(']');
  if (!has_port) place += is_secure ? ":443" : ":80";
  MR_TRY(options.client.address, net::parse_address(place));
  if (is_secure) options.client.connect.tls = net::TlsOptions{.protocol = "http/1.1"};
  options.target = path + std::string(kTracesPath);
  return {};
}

void read_otel_settings(const base::SettingValues& values,
                        std::span<const std::pair<std::string, std::string>> environment,
                        ServerSettings& settings,
                        base::ProblemReport& report) {
  const Variables variables(environment);
  observe::OtlpOptions& options = settings.otlp;
  std::string_view share_text = values.text("trace.root_share");
  std::string share_name = "trace.root_share";
  std::optional<double> share = find_share(share_text);
  if (share_text.empty()) {
    share = sampler_share(variables);
    share_name = "OTEL_TRACES_SAMPLER";
    share_text = variables.find("OTEL_TRACES_SAMPLER");
  }
  if (!share) {
    add_problem(base::format("'{}' cannot be '{}'", share_name, share_text),
                share_name == "trace.root_share"
                    ? "a number from 0 to 1"
                    : "one of OpenTelemetry's samplers, and a number from 0 to 1 as its argument",
                report);
  }
  settings.front.trace_root_share = share.value_or(0);
  std::string_view url = values.text("trace.endpoint");
  std::string_view url_name = "trace.endpoint";
  if (url.empty()) {
    if (variables.find("OTEL_SDK_DISABLED") == "true") return;
    url = variables.find("OTEL_EXPORTER_OTLP_ENDPOINT");
    url_name = "OTEL_EXPORTER_OTLP_ENDPOINT";
  }
  if (url.empty()) return;
  if (auto read = read_collector_url(url, options); !read)
    add_problem(base::format("'{}' cannot be '{}'", url_name, url), read.error().message(), report);
  options.client.request_timeout = std::chrono::seconds(10);
  options.client.endpoint = "otlp";
  for_each_pair(
      variables.find("OTEL_EXPORTER_OTLP_HEADERS"),
      [&](std::string_view name, std::string_view value) { options.fields.add(name, value); });
  for_each_pair(variables.find("OTEL_RESOURCE_ATTRIBUTES"),
                [&](std::string_view name, std::string_view value) {
                  options.resource.emplace_back(name, value);
                });
  const std::string_view service = variables.find("OTEL_SERVICE_NAME");
  std::erase_if(options.resource,
                [&](const auto& item) { return !service.empty() && item.first == "service.name"; });
  const bool has_name = std::ranges::any_of(
      options.resource, [](const auto& item) { return item.first == "service.name"; });
  if (!has_name) options.resource.emplace_back("service.name", service.empty() ? "rankd" : service);
}

}  // namespace millrace::server
