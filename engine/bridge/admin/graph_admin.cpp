#include "bridge/admin/graph_admin.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/result.h"
#include "graph/payload.h"
#include "graph/report/run_report.h"
#include "graph/run/config_updates.h"
#include "graph/run/run_result.h"
#include "net/http/http_target.h"
#include "observe/prometheus_writer.h"

namespace millrace::bridge {
namespace {

constexpr std::string_view kTextType = "text/plain; charset=utf-8";

AdminReply problem(int status, std::string_view code, std::string_view detail) {
  AdminReply reply{.status = status, .content_type = "application/problem+json"};
  base::JsonWriter json(reply.body);
  json.begin_object();
  json.member("status", status);
  json.member("code", code);
  json.member("detail", detail);
  json.end_object();
  reply.body += '\n';
  return reply;
}

template <class Write>
AdminReply json_reply(Write write) {
  AdminReply reply;
  base::JsonWriter json(reply.body);
  write(json);
  reply.body += '\n';
  return reply;
}

AdminReply done() {
  return json_reply([](base::JsonWriter& json) {
    json.begin_object();
    json.member("ok", true);
    json.end_object();
  });
}

bool asks_for_text(std::string_view query) {
  net::HttpQueryItem item;
  while (net::try_take_query_item(query, item)) {
    if (item.name == "format" && item.value == "text") return true;
  }
  return false;
}

enum class Action : std::uint8_t {
  kIndex,
  kLive,
  kReady,
  kStatus,
  kHealth,
  kMetrics,
  kValues,
  kWhy,
  kState,
  kStateTable,
  kPause,
  kResume,
  kConfig,
  kStop,
};

}  // namespace

/// A path that ends in a slash is followed by a name.
struct GraphAdmin::Route {
  std::string_view method;
  std::string_view path;
  Action action;
  std::string_view about;

  [[nodiscard]] bool has_name() const { return path.size() > 1 && path.ends_with('/'); }
  [[nodiscard]] bool takes(std::string_view asked) const {
    if (!has_name()) return asked == path;
    return asked.starts_with(path) && asked.size() > path.size() &&
           asked.find('/', path.size()) == std::string_view::npos;
  }
  static const std::array<Route, 14> kAll;
};

const std::array<GraphAdmin::Route, 14> GraphAdmin::Route::kAll = {{
    {"GET", "/", Action::kIndex, "this list"},
    {"GET", "/livez", Action::kLive, "200 as long as the process answers"},
    {"GET", "/readyz", Action::kReady, "200 while the graph runs, 503 once it has failed or ended"},
    {"GET", "/metrics", Action::kMetrics, "all metrics for Prometheus, or OpenMetrics"},
    {"GET", "/v1/status", Action::kStatus, "epochs, errors, health, metrics and state as JSON"},
    {"GET", "/v1/health", Action::kHealth, "health events as JSON"},
    {"GET", "/v1/metrics", Action::kValues, "descriptors and values of the metrics as JSON"},
    {"GET", "/v1/why/", Action::kWhy, "COMPONENT: why it ran last, or did not (?format=text)"},
    {"GET", "/v1/state", Action::kState, "all state tables"},
    {"GET", "/v1/state/", Action::kStateTable, "TABLE: one state table"},
    {"POST", "/v1/pause", Action::kPause, "begin no epoch until resume"},
    {"POST", "/v1/resume", Action::kResume, "go on"},
    {"POST", "/v1/config", Action::kConfig, "{COMPONENT: {config}, ...}: all of them or none"},
    {"POST", "/v1/stop", Action::kStop, "end the run as SIGTERM does"},
}};

GraphAdmin::GraphAdmin(Parts parts) : parts_(std::move(parts)), begin_(parts_.clock.now()) {}

bool GraphAdmin::may_wait(const AdminRequest& request) {
  return request.method == "POST" && request.path == "/v1/config";
}

std::string_view GraphAdmin::allowed_methods(std::string_view path) {
  const auto route =
      std::ranges::find_if(Route::kAll, [path](const Route& one) { return one.takes(path); });
  if (route == Route::kAll.end()) return {};
  return route->method == "GET" ? "GET, HEAD" : route->method;
}

AdminReply GraphAdmin::answer(const AdminRequest& request) const {
  const std::string_view method = request.method == "HEAD" ? "GET" : request.method;
  const auto route = std::ranges::find_if(Route::kAll, [&](const Route& one) {
    return one.method == method && one.takes(request.path);
  });
  if (route == Route::kAll.end()) {
    const std::string_view allowed = allowed_methods(request.path);
    if (allowed.empty()) {
      return problem(404, "no_route", "No route has this path; GET / lists them all");
    }
    AdminReply reply =
        problem(405, "method_not_allowed", base::format("This path has the methods {}", allowed));
    reply.allow = allowed;
    return reply;
  }
  // A page that the operator has open in a browser must not steer the graph.
  if (method == "POST" && request.is_from_page) {
    return problem(403, "forbidden", "Web pages may not change a graph");
  }
  std::string name;
  if (route->has_name() &&
      !net::try_decode_percent(request.path.substr(route->path.size()), name)) {
    return problem(400, "bad_request", "A percent sign is not followed by two hex digits");
  }
  switch (route->action) {
    case Action::kIndex:
      return index();
    case Action::kLive:
      return {.content_type = kTextType, .body = "ok\n"};
    case Action::kReady:
      return show_ready();
    case Action::kStatus:
      return show_status();
    case Action::kHealth:
      return show_health();
    case Action::kMetrics:
      return show_metrics(request);
    case Action::kValues:
      return show_values();
    case Action::kWhy:
      return show_why(request, name);
    case Action::kState:
    case Action::kStateTable:
      return show_state(name);
    case Action::kPause:
      parts_.runtime.pause();
      return done();
    case Action::kResume:
      parts_.runtime.resume();
      return done();
    case Action::kConfig:
      return change_config(request.body);
    case Action::kStop:
      parts_.stop();
      return done();
  }
  return {};
}

AdminReply GraphAdmin::index() const {
  AdminReply reply{.content_type = kTextType};
  reply.body = base::format("Graph {}\n\n", parts_.graph.name);
  for (const Route& route : Route::kAll) {
    reply.body += base::format("{:<5} {:<13} {}\n", route.method, route.path, route.about);
  }
  return reply;
}

AdminReply GraphAdmin::show_status() const {
  return json_reply([this](base::JsonWriter& json) {
    graph::write_status_json(parts_.graph,
                             parts_.runtime.result(),
                             {.is_paused = parts_.runtime.is_paused(),
                              .has_ended = parts_.runtime.has_ended(),
                              .time = parts_.clock.now() - begin_},
                             json);
  });
}

AdminReply GraphAdmin::show_ready() const {
  if (!parts_.runtime.has_ended()) return {.content_type = kTextType, .body = "ready\n"};
  return {.status = 503, .content_type = kTextType, .body = "the run has ended\n"};
}

AdminReply GraphAdmin::show_health() const {
  return json_reply([this](base::JsonWriter& json) {
    const graph::RuntimeRunnerResult result = parts_.runtime.result();
    json.begin_object();
    json.member("ok", result.ok);
    json.key("health_events");
    graph::write_health_json(parts_.graph, result.health_events, json);
    json.end_object();
  });
}

AdminReply GraphAdmin::show_metrics(const AdminRequest& request) const {
  const observe::MetricsFormat format = observe::format_for(request.accept);
  AdminReply reply{.content_type = observe::content_type(format)};
  observe::append_metrics(parts_.metrics.snapshot(), format, reply.body);
  return reply;
}

AdminReply GraphAdmin::show_values() const {
  return json_reply(
      [this](base::JsonWriter& json) { graph::write_metrics_json(parts_.runtime.result(), json); });
}

AdminReply GraphAdmin::show_why(const AdminRequest& request, std::string_view name) const {
  const auto report = parts_.runtime.why(name);
  if (!report) return problem(404, "unknown_component", report.error().message());
  if (asks_for_text(request.query)) {
    return {.content_type = kTextType, .body = graph::why_text(*report)};
  }
  return json_reply([&](base::JsonWriter& json) { graph::write_why_json(*report, json); });
}

AdminReply GraphAdmin::show_state(std::string_view table) const {
  const graph::RuntimeRunnerResult result = parts_.runtime.result();
  const bool is_known = std::ranges::any_of(
      result.state, [table](const graph::StateTableView& view) { return view.name == table; });
  if (!table.empty() && !is_known) {
    return problem(404, "unknown_table", "No component has written to a table of this name");
  }
  return json_reply([&](base::JsonWriter& json) { graph::write_state_json(result, table, json); });
}

AdminReply GraphAdmin::change_config(std::string_view body) const {
  const auto given = graph::Payload::parse(body);
  if (!given) return problem(400, "bad_json", given.error().to_string());
  if (given->kind() != graph::PayloadKind::kObject || given->members().empty()) {
    return problem(400, "bad_request", "Expected {COMPONENT: {config}, ...}");
  }
  std::vector<graph::ConfigUpdate> updates;
  for (const graph::PayloadMember& member : given->members()) {
    updates.push_back({.component = member.name, .config = member.value});
  }
  const base::Status changed = parts_.runtime.update_config(updates);
  if (changed) return done();
  const bool is_unknown = changed.error().code() == base::ErrorCode::kNotFound;
  return problem(is_unknown ? 404 : 422,
                 is_unknown ? "unknown_component" : "config_refused",
                 changed.error().to_string());
}

}  // namespace millrace::bridge
