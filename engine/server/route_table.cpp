#include "server/route_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/http/http_target.h"

namespace millrace::server {
namespace {

constexpr std::size_t kPlanNameMax = 128;
constexpr std::array<bool, 256> kNameCharacters = [] {
  std::array<bool, 256> allowed{};
  for (std::size_t byte = 0; byte < allowed.size(); ++byte) {
    const bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    const bool is_digit = byte >= '0' && byte <= '9';
    allowed[byte] =
        is_letter || is_digit ||
        std::string_view("_.@=,-").find(static_cast<char>(byte)) != std::string_view::npos;
  }
  return allowed;
}();

constexpr auto kRankQuery = std::to_array<QueryField>({
    {"user_id", "integer", "the viewer", true},
    {"limit", "integer", "most candidates"},
    {"deadline_ms", "number", "time for the answer, in milliseconds"},
    {"seed", "integer", "seed of everything that is drawn"},
    {"priority", "string", "high, normal, low or background"},
    {"explain", "string", "ids to explain, separated by commas"},
    {"trace", "boolean", "1: with a trace"},
});
constexpr auto kBatchQuery =
    std::to_array<QueryField>({{"order", "string", "input (the default) or done"}});
constexpr auto kUploadQuery =
    std::to_array<QueryField>({{"dry_run", "boolean", "1: only check it"}});
constexpr auto kHealthQuery =
    std::to_array<QueryField>({{"verbose", "string", "with the state of every part"}});

constexpr std::string_view kNdjson = "application/x-ndjson";
constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kMetricsText = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::string_view kExamplePlan = "mixed_pipeline";
constexpr std::string_view kExampleRequest = R"({"user_id":1,"limit":3})";
constexpr std::string_view kExampleBatch =
    "{\"user_id\":1,\"limit\":1}\n{\"user_id\":2,\"limit\":1}\n";

// clang-format off
constexpr auto kRoutes = std::to_array<Route>({
    {"POST", "/v1/rank/{plan}", RouteAction::kRank, "rank", "Rank one request",
     RouteAccess::kAll, {}, "application/json", kExamplePlan, "", kExampleRequest},
    {"GET", "/v1/rank/{plan}", RouteAction::kRankByQuery, "rankByQuery",
     "Rank one request that is written as a query", RouteAccess::kAll, kRankQuery,
     "application/json", kExamplePlan, "user_id=1&limit=3", ""},
    {"POST", "/rank", RouteAction::kRank, "rankByBody",
     "Rank one request with the plan that its body names", RouteAccess::kAll, {},
     "application/json", "", "", R"({"user_id":1,"limit":3,"plan":"mixed_pipeline"})"},
    {"POST", "/v1/batch", RouteAction::kBatch, "batch",
     "Rank one request per line; each names its plan", RouteAccess::kAll, kBatchQuery, kNdjson, "",
     "", "{\"user_id\":1,\"limit\":1,\"plan\":\"mixed_pipeline\"}\n"},
    {"POST", "/v1/rank/{plan}/batch", RouteAction::kBatch, "rankBatch",
     "Rank one request per line", RouteAccess::kAll, kBatchQuery, kNdjson, kExamplePlan, "",
     kExampleBatch},
    {"GET", "/v1/plans", RouteAction::kListPlans, "listPlans", "The plans that are loaded"},
    {"GET", "/v1/plans/{plan}", RouteAction::kShowPlan, "showPlan",
     "Graph, passes and digest of a plan, and whether it always answers", RouteAccess::kAll, {},
     "application/json", kExamplePlan},
    {"GET", "/v1/plans/{plan}/versions", RouteAction::kShowVersions, "showVersions",
     "The versions of a plan and their states", RouteAccess::kAll, {}, "application/json",
     kExamplePlan},
    {"GET", "/v1/explain/{plan}", RouteAction::kExplainPlan, "explainPlan",
     "What rankd explain prints about a plan", RouteAccess::kAll, {}, "application/json",
     kExamplePlan},
    {"POST", "/v1/explain/{plan}", RouteAction::kExplainRequest, "explainRequest",
     "Rank one request and say why ids are in the answer or not", RouteAccess::kAll, {},
     "application/json", kExamplePlan, "", R"({"user_id":1,"limit":3,"explain":{"ids":[1]}})"},
    {"GET", "/v1/graphs", RouteAction::kListGraphs, "listGraphs",
     "The graph that runs beside the plans, if there is one", RouteAccess::kMetrics},
    {"GET", "/v1/graphs/{graph}", RouteAction::kShowGraph, "showGraph",
     "Plan, epochs, lanes, health and tables of a graph", RouteAccess::kMetrics},
    {"GET", "/v1/graphs/{graph}/why/{component}", RouteAction::kShowWhy, "showWhy",
     "Why a component of a graph ran in its last epoch, or did not", RouteAccess::kMetrics},
    {"GET", "/openapi.json", RouteAction::kOpenApi, "openApi", "This document"},
    {"GET", "/", RouteAction::kIndex, "index", "Command lines to try", RouteAccess::kAll, {},
     kText},
    {"GET", "/livez", RouteAction::kLive, "live", "Whether every event loop turns",
     RouteAccess::kAll, kHealthQuery, kText},
    {"GET", "/readyz", RouteAction::kReady, "ready", "Whether requests should be sent here",
     RouteAccess::kAll, kHealthQuery, kText},
    {"GET", "/healthz", RouteAction::kReady, "health", "The same as /readyz", RouteAccess::kAll,
     kHealthQuery, kText},
    {"GET", "/v2/health/live", RouteAction::kLive, "liveV2", "The same as /livez",
     RouteAccess::kAll, kHealthQuery, kText},
    {"GET", "/v2/health/ready", RouteAction::kReady, "readyV2", "The same as /readyz",
     RouteAccess::kAll, kHealthQuery, kText},
    {"GET", "/metrics", RouteAction::kMetrics, "metrics", "Metrics for Prometheus",
     RouteAccess::kMetrics, {}, kMetricsText},
    {"GET", "/v1/stats", RouteAction::kStats, "stats", "The same as JSON", RouteAccess::kMetrics},
    {"POST", "/v1/reload", RouteAction::kReload, "reload",
     "Read plans, registry, data and TLS files again; 422 lists all that is wrong",
     RouteAccess::kAdmin},
    {"POST", "/v1/plans/{plan}/rollback", RouteAction::kRollback, "rollback",
     "Activate the version before, and hold the other one back until a third comes",
     RouteAccess::kAdmin, {}, "application/json", kExamplePlan},
    {"POST", "/v1/plans/{plan}/pin", RouteAction::kPin, "pin",
     "Activate a version, and nothing else until unpin", RouteAccess::kAdmin, {},
     "application/json", kExamplePlan, "", R"({"version":"1"})"},
    {"POST", "/v1/plans/{plan}/unpin", RouteAction::kUnpin, "unpin",
     "Activate the version of the file, and what comes later", RouteAccess::kAdmin, {},
     "application/json", kExamplePlan},
    {"POST", "/v1/plans/{plan}/canary", RouteAction::kCanary, "canary",
     "Give a version a percentage of the users; 0 ends it", RouteAccess::kAdmin, {},
     "application/json", kExamplePlan, "", R"({"version":"1","percent":5})"},
    {"PUT", "/v1/plans/{plan}", RouteAction::kUpload, "upload",
     "Check an artifact and, if plans.allow_upload is set, write it to the folder of plans",
     RouteAccess::kAdmin, kUploadQuery, "application/json", kExamplePlan, "dry_run=1",
     R"({"schema_version":1,"name":"mixed_pipeline","nodes":[{"id":"src","op":"fixed_source","inputs":[],"params":{"row_count":2}}],"outputs":["src"],"output_keys":["id"]})"},
});
// clang-format on

/// The encoded texts in place of braces.
struct EncodedNames {
  std::string_view plan;
  std::string_view graph;
  std::string_view component;
};

constexpr std::size_t kSegmentsMax = 6;

/// The segments of a path; beyond `kSegmentsMax` of them only their number counts.
struct PathSegments {
  std::array<std::string_view, kSegmentsMax> texts{};
  std::size_t count = 0;
};

constexpr PathSegments split_path(std::string_view path) {
  PathSegments segments;
  while (!path.empty() && segments.count <= kSegmentsMax) {
    const std::string_view segment = net::take_path_segment(path);
    if (segments.count < kSegmentsMax) segments.texts[segments.count] = segment;
    ++segments.count;
  }
  return segments;
}

/// The segments of every route, in the order of the table.
constexpr auto kPatterns = [] {
  std::array<PathSegments, kRoutes.size()> patterns;
  for (std::size_t index = 0; index < kRoutes.size(); ++index)
    patterns[index] = split_path(kRoutes[index].path);
  return patterns;
}();
constexpr bool is_name(std::string_view segment) { return segment.starts_with('{'); }

/// The routes of each number of segments, in the order of the table.
struct RouteList {
  std::array<std::uint8_t, kRoutes.size()> indexes{};
  std::size_t count = 0;
};
constexpr auto kRoutesBySegments = [] {
  std::array<RouteList, kSegmentsMax + 2> lists;
  for (std::size_t index = 0; index < kRoutes.size(); ++index) {
    RouteList& list = lists[kPatterns[index].count];
    list.indexes[list.count++] = static_cast<std::uint8_t>(index);
  }
  return lists;
}();
static_assert(std::ranges::all_of(kPatterns, [](const PathSegments& pattern) {
  return pattern.count <= kSegmentsMax;
}));

/// Which segments of every route stand for themselves, in the order of the table: bit i is segment
/// i.
constexpr auto kLiterals = [] {
  std::array<std::uint8_t, kRoutes.size()> literals{};
  for (std::size_t index = 0; index < kRoutes.size(); ++index) {
    for (std::size_t place = 0; place < kPatterns[index].count; ++place) {
      if (!is_name(kPatterns[index].texts[place]))
        literals[index] = static_cast<std::uint8_t>(literals[index] | 1U << place);
    }
  }
  return literals;
}();

/// Compares a path with the pattern of a route, which has as many segments.
bool fits(std::size_t route, const PathSegments& path) {
  // From the end, where paths differ most.
  for (unsigned left = kLiterals[route]; left != 0;) {
    const auto place = static_cast<std::size_t>(std::bit_width(left) - 1);
    if (kPatterns[route].texts[place] != path.texts[place]) return false;
    left ^= 1U << place;
  }
  return true;
}

/// Takes the names out of a path that fits.
EncodedNames names_in(std::size_t route, const PathSegments& path) {
  EncodedNames names;
  const PathSegments& pattern = kPatterns[route];
  for (std::size_t place = 0; place < pattern.count; ++place) {
    if ((kLiterals[route] >> place & 1U) != 0) continue;
    const std::string_view wanted = pattern.texts[place];
    (wanted == "{graph}"       ? names.graph
     : wanted == "{component}" ? names.component
                               : names.plan) = path.texts[place];
  }
  return names;
}

/// The names of a path that leads to a graph.
void decode_names(const EncodedNames& names, RouteMatch& match) {
  if (!net::try_decode_percent(names.graph, match.graph)) match.graph.clear();
  if (!net::try_decode_percent(names.component, match.component)) match.component.clear();
}

}  // namespace

std::span<const Route> route_table() { return kRoutes; }

bool exists_on(const Route& route, ListenerKind listener, bool has_admin) {
  if (listener == ListenerKind::kAdmin || route.access == RouteAccess::kAll) return true;
  return route.access == RouteAccess::kMetrics && !has_admin;
}

bool is_plan_name(std::string_view name) {
  return !name.empty() && name.size() <= kPlanNameMax && std::ranges::all_of(name, [](char byte) {
    return kNameCharacters[static_cast<unsigned char>(byte)];
  });
}

RouteMatch match_path(std::string_view path, ListenerKind listener, bool has_admin) {
  RouteMatch match{.listener = listener};
  const PathSegments segments = split_path(path);
  const RouteList& list = kRoutesBySegments[segments.count];
  for (std::size_t place = 0; place < list.count; ++place) {
    const std::size_t index = list.indexes[place];
    const Route& route = kRoutes[index];
    if (!fits(index, segments) || !exists_on(route, listener, has_admin)) continue;
    const EncodedNames names = names_in(index, segments);
    match.routes[match.count++] = &route;
    if (names.graph.data() != nullptr) decode_names(names, match);
    if (match.count > 1 || names.plan.data() == nullptr) continue;
    match.is_name_bad =
        !net::try_decode_percent(names.plan, match.name) || !is_plan_name(match.name);
  }
  return match;
}

const Route* RouteMatch::find(std::string_view method) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (std::size_t index = 0; index < count; ++index) {
    if (routes[index]->method == wanted) return routes[index];
  }
  return nullptr;
}

std::string RouteMatch::allowed_methods() const {
  std::string text;
  for (std::size_t index = 0; index < count; ++index) {
    text += routes[index]->method;
    text += ", ";
    if (routes[index]->method == "GET") text += "HEAD, ";
  }
  return text + "OPTIONS";
}

}  // namespace millrace::server
