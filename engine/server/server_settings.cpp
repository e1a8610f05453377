#include "server/server_settings.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/format.h"
#include "nats/server_url.h"
#include "nats/subject.h"
#include "net/address.h"
#include "observe/request_log.h"
#include "runtime/admission.h"

namespace millrace::server {
namespace {

using base::SettingKind;
using base::SettingValues;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kHour = 3'600'000 * kMillisecond;
constexpr std::int64_t kLimitMax = runtime::AdmissionSettings::kLimitMax;

constexpr std::array<std::string_view, 3> kEnvironments{"dev", "test", "prod"};
constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warn", "error"};
constexpr std::array<std::string_view, 3> kFormats{"auto", "text", "json"};

// clang-format off
constexpr auto kSettings = std::to_array<base::SettingSpec>({
    {.name = "server.listen", .kind = SettingKind::kTextList, .initial = "127.0.0.1:8080",
     .help = "addresses of the main listener: `host:port`, `[v6]:port` or `unix:/path`; port 0 is any free one", .flag = "--listen"},
    {.name = "server.admin", .kind = SettingKind::kText, .initial = "",
     .help = "address of the admin listener; metrics are then only there", .flag = "--admin"},
    {.name = "server.loops", .kind = SettingKind::kInteger, .initial = "1",
     .help = "event loops", .flag = "--loops", .least = 1, .most = 16},
    {.name = "server.connections_max", .kind = SettingKind::kInteger, .initial = "10000",
     .help = "connections that may be open; then idle ones make room", .least = 1, .most = 1'000'000},
    {.name = "server.deadline", .kind = SettingKind::kDuration, .initial = "0",
     .help = "deadline of every request; 0: none but the next", .flag = "--deadline_ms", .most = kHour},
    {.name = "server.deadline_max", .kind = SettingKind::kDuration, .initial = "60s",
     .help = "the longest deadline that a request may have", .least = kMillisecond, .most = kHour},
    {.name = "server.head_max", .kind = SettingKind::kSize, .initial = "16KiB",
     .help = "bytes of a head, with trailers and chunk extensions", .least = 512, .most = 1 << 20},
    {.name = "server.fields_max", .kind = SettingKind::kInteger, .initial = "100",
     .help = "fields of a head", .least = 1, .most = 10'000},
    {.name = "server.target_max", .kind = SettingKind::kSize, .initial = "4KiB",
     .help = "bytes of path and query", .least = 16, .most = 1 << 20},
    {.name = "server.body_max", .kind = SettingKind::kSize, .initial = "1MiB",
     .help = "bytes of a body, after inflating", .least = 16, .most = 1 << 30},
    {.name = "server.batch_max", .kind = SettingKind::kSize, .initial = "16MiB",
     .help = "bytes of the body of a batch", .least = 16, .most = 1 << 30},
    {.name = "server.batch_lines_max", .kind = SettingKind::kInteger, .initial = "10000",
     .help = "lines of a batch", .least = 1, .most = 10'000'000},
    {.name = "server.head_timeout", .kind = SettingKind::kDuration, .initial = "5s",
     .help = "from the first byte of a head to its end", .least = kMillisecond},
    {.name = "server.body_timeout", .kind = SettingKind::kDuration, .initial = "10s",
     .help = "from the end of the head to the end of the body", .least = kMillisecond},
    {.name = "server.idle_timeout", .kind = SettingKind::kDuration, .initial = "75s",
     .help = "how long a connection may stay without a request", .least = kMillisecond},
    {.name = "server.write_timeout", .kind = SettingKind::kDuration, .initial = "10s",
     .help = "how long a client may take no byte of its answer", .least = kMillisecond},
    {.name = "server.reading_max", .kind = SettingKind::kInteger, .initial = "1000",
     .help = "connections inside a head or body, each loop an even share of them; beyond that the oldest gets 408", .least = 1, .most = 1'000'000},
    {.name = "server.abort_on_half_close", .kind = SettingKind::kFlag, .initial = "true",
     .help = "whether a client that ends its side has given its request up"},
    {.name = "tls.cert", .kind = SettingKind::kText, .initial = "",
     .help = "file of the certificate chain of the main listener; empty: no TLS; a reload reads the file again", .is_hot = true},
    {.name = "tls.key", .kind = SettingKind::kText, .initial = "", .help = "file of its key", .is_hot = true},
    {.name = "tls.client_ca", .kind = SettingKind::kText, .initial = "",
     .help = "file of the authorities whose clients are let in; empty: all are", .is_hot = true},
    {.name = "auth.keys_file", .kind = SettingKind::kText, .initial = "",
     .help = "TOML file of the keys that callers must send; empty: none is needed", .is_hot = true},
    {.name = "cors.origins", .kind = SettingKind::kTextList, .initial = "",
     .help = "origins whose pages may read answers, exactly as browsers send them"},
    {.name = "plans.dir", .kind = SettingKind::kText, .initial = "",
     .help = "folder of `*.plan.json` files; empty: `plans` of the project", .flag = "--plan_dir", .is_hot = true},
    {.name = "plans.registry", .kind = SettingKind::kText, .initial = "",
     .help = "folder of keys, params and endpoints; empty: `registry` of the project", .flag = "--registry", .is_hot = true},
    {.name = "plans.default", .kind = SettingKind::kText, .initial = "",
     .help = "plan of requests that name none", .flag = "--plan_name"},
    {.name = "plans.env", .kind = SettingKind::kChoice, .initial = "dev",
     .help = "environment of the endpoints", .flag = "--env", .choices = kEnvironments},
    {.name = "plans.warmup_required", .kind = SettingKind::kFlag, .initial = "true",
     .help = "whether a plan must have answered once before the server is ready, and before it replaces another"},
    {.name = "plans.state_file", .kind = SettingKind::kText, .initial = "",
     .help = "file that keeps pins and rollbacks over restarts; empty: they end with the process"},
    {.name = "plans.allow_upload", .kind = SettingKind::kFlag, .initial = "false",
     .help = "whether `PUT /v1/plans/{plan}` may write to the folder of plans"},
    {.name = "engine.cpu_threads", .kind = SettingKind::kInteger, .initial = "0",
     .help = "workers; 0: as many as cores", .flag = "--cpu_threads", .most = 64},
    {.name = "engine.pin", .kind = SettingKind::kFlag, .initial = "false",
     .help = "whether each loop and each worker has a processor of its own, as with `--pin`"},
    {.name = "engine.node_timeout", .kind = SettingKind::kDuration, .initial = "0",
     .help = "time limit of every node, besides its own; 0: none", .flag = "--node_timeout_ms", .most = kHour},
    {.name = "overload.inflight_max", .kind = SettingKind::kInteger, .initial = "1024",
     .help = "ranking requests under way; more are refused", .flag = "--inflight_max", .least = 1, .most = kLimitMax},
    {.name = "overload.high_water", .kind = SettingKind::kInteger, .initial = "8192",
     .help = "requests are refused while more nodes are ready but not running", .flag = "--high_water", .least = 1, .most = kLimitMax},
    {.name = "overload.plan_inflight_max", .kind = SettingKind::kInteger, .initial = "0",
     .help = "requests of one plan under way; more are refused; 0: no limit of its own", .most = kLimitMax},
    {.name = "overload.target_delay", .kind = SettingKind::kDuration, .initial = "5ms",
     .help = "what requests may wait for our own loops and workers before fewer are let in", .least = kMillisecond / 10, .most = 60'000 * kMillisecond},
    {.name = "overload.limit_start", .kind = SettingKind::kInteger, .initial = "256",
     .help = "requests that may be under way at first; the limit then moves by itself", .least = 1, .most = kLimitMax},
    {.name = "overload.normal_percent", .kind = SettingKind::kInteger, .initial = "90",
     .help = "share of the limit up to which requests of the class `normal` enter", .most = 100},
    {.name = "overload.low_percent", .kind = SettingKind::kInteger, .initial = "70",
     .help = "the same of the class `low`", .most = 100},
    {.name = "overload.background_percent", .kind = SettingKind::kInteger, .initial = "50",
     .help = "the same of the class `background`", .most = 100},
    {.name = "nats.urls", .kind = SettingKind::kTextList, .initial = "",
     .help = "NATS servers that bring requests: `nats://host:port` or `tls://host:port`; empty: none", .flag = "--nats"},
    {.name = "nats.group", .kind = SettingKind::kText, .initial = "rankd",
     .help = "queue group that the process joins for each of its plans", .flag = "--nats-group"},
    {.name = "nats.prefix", .kind = SettingKind::kText, .initial = "rank",
     .help = "begin of subjects; a dot and the plan's name follow", .flag = "--nats-prefix"},
    {.name = "nats.required", .kind = SettingKind::kFlag, .initial = "false",
     .help = "whether the server is ready only while it is connected to NATS", .flag = "--nats-required"},
    {.name = "nats.creds", .kind = SettingKind::kText, .initial = "",
     .help = "file with the credentials (JWT and seed) of a NATS user", .flag = "--nats-creds"},
    {.name = "nats.user", .kind = SettingKind::kText, .initial = "", .help = "name of a NATS user"},
    {.name = "nats.password", .kind = SettingKind::kText, .initial = "",
     .help = "its password", .is_secret = true},
    {.name = "nats.tls_ca", .kind = SettingKind::kText, .initial = "",
     .help = "file of the authorities that vouch for the NATS servers; empty: those of the system"},
    {.name = "nats.tls_cert", .kind = SettingKind::kText, .initial = "",
     .help = "file of the certificate chain that the NATS servers are shown; empty: none"},
    {.name = "nats.tls_key", .kind = SettingKind::kText, .initial = "", .help = "file of its key"},
    {.name = "log.level", .kind = SettingKind::kChoice, .initial = "info",
     .help = "lowest level that is logged", .flag = "--log_level", .choices = kLevels},
    {.name = "log.format", .kind = SettingKind::kChoice, .initial = "auto",
     .help = "form of log lines; auto: text on a terminal, else JSON", .flag = "--log_format", .choices = kFormats},
    {.name = "log.requests", .kind = SettingKind::kText, .initial = "all",
     .help = "which requests get a line: `all`, `errors`, `1/N` (and errors) or `off`"},
    {.name = "log.slow_ms", .kind = SettingKind::kInteger, .initial = "0",
     .help = "answers that take longer, in milliseconds, become trace files for Perfetto; 0: none do", .most = 3'600'000},
    {.name = "log.slow_dir", .kind = SettingKind::kText, .initial = "slow-requests",
     .help = "folder of these files; at most 100 and 64 MiB, one a second"},
    {.name = "log.slow_trace", .kind = SettingKind::kText, .initial = "1/64",
     .help = "which requests are traced in case they are slow: `all` or `1/N`"},
    {.name = "trace.endpoint", .kind = SettingKind::kText, .initial = "",
     .help = "collector of OpenTelemetry, `http://127.0.0.1:4318`; empty: as `OTEL_EXPORTER_OTLP_ENDPOINT` says, else none"},
    {.name = "trace.root_share", .kind = SettingKind::kText, .initial = "",
     .help = "share of requests without a caller's trace that are traced, 0 to 1; empty: as `OTEL_TRACES_SAMPLER` says, else 0"},
    {.name = "drain.notice", .kind = SettingKind::kDuration, .initial = "3s",
     .help = "how long a server that was told to end goes on, not ready, before it stops to accept", .most = kHour},
    {.name = "drain.timeout", .kind = SettingKind::kDuration, .initial = "25s",
     .help = "when what still runs is given up", .least = kMillisecond},
});
// clang-format on

std::size_t size_of(const SettingValues& values, std::string_view name) {
  return static_cast<std::size_t>(values.integer(name));
}

void add_bad(std::string message, std::string hint, base::ProblemReport& report) {
  report.add({.code = base::SettingProblemCode::kBadSetting,
              .message = std::move(message),
              .hint = std::move(hint)});
}

void check_address(std::string_view name, const std::string& text, base::ProblemReport& report) {
  const auto address = net::parse_listen_address(text);
  if (!address)
    add_bad(base::format("'{}' cannot be '{}'", name, text), address.error().message(), report);
}

net::HttpServerSettings http_settings(const SettingValues& values) {
  net::HttpServerSettings http;
  http.limits.header_bytes_max = size_of(values, "server.head_max");
  http.limits.field_count_max = size_of(values, "server.fields_max");
  http.limits.target_bytes_max = size_of(values, "server.target_max");
  http.head_timeout = values.duration("server.head_timeout");
  http.body_timeout = values.duration("server.body_timeout");
  http.idle_timeout = values.duration("server.idle_timeout");
  http.write_timeout = values.duration("server.write_timeout");
  http.reading_max = size_of(values, "server.reading_max");
  http.abort_on_half_close = values.flag("server.abort_on_half_close");
  return http;
}

NatsSettings nats_settings(const SettingValues& values, base::ProblemReport& report) {
  NatsSettings nats;
  nats.link = {.urls = values.list("nats.urls"),
               .credentials_file = values.text("nats.creds"),
               .user = values.text("nats.user"),
               .password = values.text("nats.password"),
               .tls_ca_file = values.text("nats.tls_ca"),
               .tls_certificate_file = values.text("nats.tls_cert"),
               .tls_key_file = values.text("nats.tls_key")};
  nats.group = values.text("nats.group");
  nats.prefix = values.text("nats.prefix");
  nats.is_required = values.flag("nats.required");
  for (const std::string& url : nats.link.urls) {
    if (const auto good = nats::check_server_url(url); !good)
      add_bad("'nats.urls' has a bad address", good.error().message(), report);
  }
  if (!nats::is_subject(nats.prefix))
    add_bad("'nats.prefix' is no subject", "use letters, digits and dots between them", report);
  if (!nats::is_subject(nats.group))
    add_bad("'nats.group' is no name of a group", "use letters and digits", report);
  if (nats.link.tls_certificate_file.empty() != nats.link.tls_key_file.empty())
    add_bad("'nats.tls_cert' and 'nats.tls_key' need each other", "set both or none", report);
  if (nats.is_required && !nats.is_used())
    add_bad("'nats.required' is set, and 'nats.urls' is empty", "name a server", report);
  return nats;
}

}  // namespace

std::span<const base::SettingSpec> settings_table() { return kSettings; }

std::string settings_page() {
  return "<!-- Printed from the table of settings by settings_page; do not edit. -->\n"
         "# Settings of rankd serve\n\n"
         "A setting is given by a flag or `--set section.name=value`, else by the variable "
         "`RANKD_SECTION_NAME`, else by a table\nof the file that `--config FILE.toml` names, else "
         "it "
         "has its default. Durations have a unit (`50ms`, `2s`), sizes may\n(`64KiB`, `1MiB`), "
         "items of lists are separated by commas. `rankd serve --check-config` reports all that is "
         "wrong,\n`--print-config` shows each value and where it comes from.\n\n" +
         base::settings_reference(kSettings);
}

ServerSettings read_server_settings(const SettingValues& values, base::ProblemReport& report) {
  ServerSettings settings;
  settings.listen = values.list("server.listen");
  settings.admin = values.text("server.admin");
  if (settings.listen.empty()) add_bad("'server.listen' is empty", "name an address", report);
  for (const std::string& text : settings.listen) check_address("server.listen", text, report);
  if (!settings.admin.empty()) check_address("server.admin", settings.admin, report);
  settings.connections_max = size_of(values, "server.connections_max");
  settings.http = http_settings(values);
  FrontSettings& front = settings.front;
  const base::Duration deadline = values.duration("server.deadline");
  if (deadline > base::Duration(0)) front.deadline = deadline;
  front.deadline_max = values.duration("server.deadline_max");
  front.body_bytes_max = size_of(values, "server.body_max");
  front.batch_bytes_max = size_of(values, "server.batch_max");
  front.batch_lines_max = size_of(values, "server.batch_lines_max");
  front.cors_origins = values.list("cors.origins");
  for (const std::string& origin : front.cors_origins) {
    if (origin == "*") add_bad("'cors.origins' cannot be '*'", "name each origin", report);
  }
  front.has_admin = !settings.admin.empty();
  const auto rule = observe::parse_request_log_rule(values.text("log.requests"));
  if (!rule)
    add_bad("'log.requests' cannot be '" + values.text("log.requests") + "'",
            "all, errors, off or 1/N",
            report);
  front.log_rule = rule.value_or(observe::RequestLogRule{});
  front.slow = std::chrono::milliseconds(values.integer("log.slow_ms"));
  settings.slow_folder = values.text("log.slow_dir");
  if (front.slow > base::Duration(0) && settings.slow_folder.empty())
    add_bad("'log.slow_dir' is empty", "name a folder for the traces of slow requests", report);
  const auto slow_trace = observe::parse_request_log_rule(values.text("log.slow_trace"));
  if (!slow_trace || slow_trace->one_in == 0)
    add_bad(
        "'log.slow_trace' cannot be '" + values.text("log.slow_trace") + "'", "all or 1/N", report);
  if (slow_trace && slow_trace->one_in != 0)
    front.slow_trace_every = static_cast<std::uint32_t>(slow_trace->one_in);
  settings.tls_certificate_file = values.text("tls.cert");
  settings.tls_key_file = values.text("tls.key");
  settings.tls_client_ca_file = values.text("tls.client_ca");
  if (settings.tls_certificate_file.empty() != settings.tls_key_file.empty())
    add_bad("'tls.cert' and 'tls.key' need each other", "set both or none", report);
  settings.limit.target_delay = values.duration("overload.target_delay");
  settings.limit.most = values.integer("overload.inflight_max");
  settings.limit.start = values.integer("overload.limit_start");
  settings.keys_file = values.text("auth.keys_file");
  settings.nats = nats_settings(values, report);
  settings.warmup_required = values.flag("plans.warmup_required");
  settings.allow_upload = values.flag("plans.allow_upload");
  settings.state_file = values.text("plans.state_file");
  settings.drain_notice = values.duration("drain.notice");
  settings.drain_timeout = values.duration("drain.timeout");
  if (settings.drain_timeout < settings.drain_notice)
    add_bad("'drain.timeout' is less than 'drain.notice'", "make it longer", report);
  return settings;
}

net::HttpServerSettings share_of_loop(net::HttpServerSettings http, std::size_t loop_count) {
  http.reading_max = std::max<std::size_t>(1, http.reading_max / loop_count);
  return http;
}

void apply_to_host(const SettingValues& values, host::Settings& settings) {
  if (const std::string& dir = values.text("plans.dir"); !dir.empty()) settings.plan_dir = dir;
  if (const std::string& dir = values.text("plans.registry"); !dir.empty())
    settings.registry_dir = dir;
  if (const std::string& name = values.text("plans.default"); !name.empty())
    settings.plan_name = name;
  settings.env = values.text("plans.env");
  settings.loops = static_cast<std::uint32_t>(values.integer("server.loops"));
  settings.cpu_threads = static_cast<std::uint32_t>(values.integer("engine.cpu_threads"));
  if (values.flag("engine.pin")) settings.pin = true;
  settings.inflight_max = values.integer("overload.inflight_max");
  settings.high_water = values.integer("overload.high_water");
  settings.plan_inflight_max = values.integer("overload.plan_inflight_max");
  const auto share = [&](std::string_view name) {
    return static_cast<double>(values.integer(name)) / 100;
  };
  settings.class_shares = {1,
                           share("overload.normal_percent"),
                           share("overload.low_percent"),
                           share("overload.background_percent")};
  // The front's deadline is the least of several; the engine's would be a default only.
  settings.deadline.reset();
  const base::Duration node_timeout = values.duration("engine.node_timeout");
  settings.node_timeout.reset();
  if (node_timeout > base::Duration(0)) settings.node_timeout = node_timeout;
}

}  // namespace millrace::server
