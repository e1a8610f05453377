#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The routes of the server as data. The router, the OpenAPI document, the page at `/` and the label
// `route` of metrics come from this one table.

namespace millrace::server {

/// What a route does.
enum class RouteAction : std::uint8_t {
  kRank,         ///< POST: the body is a request
  kRankByQuery,  ///< GET: the query is a request
  kBatch,
  kListPlans,
  kShowPlan,
  kShowVersions,
  kExplainPlan,
  kExplainRequest,
  kListGraphs,
  kShowGraph,
  kShowWhy,
  kOpenApi,
  kIndex,
  kLive,
  kReady,
  kMetrics,
  kStats,
  kReload,
  kRollback,
  kPin,
  kUnpin,
  kCanary,
  kUpload,
};

/// On which listeners a route exists (S2).
enum class RouteAccess : std::uint8_t {
  kAll,
  kMetrics,  ///< on the admin listener, and on the main one if there is no other
  kAdmin,    ///< on the admin listener only
};

enum class ListenerKind : std::uint8_t { kMain, kAdmin };

/// A field of a query.
struct QueryField {
  std::string_view name;
  std::string_view type;  ///< `integer`, `number`, `string` or `boolean`, as OpenAPI calls them
  std::string_view help;
  bool is_required = false;
};

struct Route {
  std::string_view method;  ///< GET, POST or PUT; HEAD goes where GET does
  std::string_view path;    ///< segments in braces stand for any text: `/v1/plans/{plan}`
  RouteAction action = RouteAction::kIndex;
  std::string_view id;  ///< `operationId` of OpenAPI
  std::string_view summary;
  RouteAccess access = RouteAccess::kAll;
  std::span<const QueryField> query = {};  ///< `pretty` stands for itself everywhere
  std::string_view reply_type = "application/json";
  // An example that works with the plans of this repository: what replaces `{plan}`, the query and
  // the body.
  std::string_view example_plan = {};
  std::string_view example_query = {};
  std::string_view example_body = {};
};

/// All routes, in the order in which they are documented.
[[nodiscard]] std::span<const Route> route_table();

/// Whether a listener has the route; `has_admin`: there is an admin listener.
[[nodiscard]] bool exists_on(const Route& route, ListenerKind listener, bool has_admin);

/// The routes that a path leads to.
struct RouteMatch {
  /// One per method, at most two; empty: there is no such path.
  std::array<const Route*, 2> routes = {};
  std::size_t count = 0;
  /// What stood in place of `{plan}`, decoded once. Empty where the path has none.
  std::string name = {};
  bool is_name_bad = false;  ///< it cannot be decoded, or no plan can have it
  /// The same for `{graph}` and `{component}`; empty if they cannot be decoded.
  std::string graph = {};
  std::string component = {};
  ListenerKind listener = ListenerKind::kMain;  ///< where the request came from

  /// The route for a method, or nullptr; HEAD is taken for GET.
  [[nodiscard]] const Route* find(std::string_view method) const;
  /// The value of `Allow`.
  [[nodiscard]] std::string allowed_methods() const;
};

/// Finds the routes of a path, which is still percent-encoded. Segments are decoded after the path
/// was split, so a name may contain a slash.
[[nodiscard]] RouteMatch match_path(std::string_view path, ListenerKind listener, bool has_admin);

/// Whether a plan may have this name: `[A-Za-z0-9_.@=,-]{1,128}`.
[[nodiscard]] bool is_plan_name(std::string_view name);

}  // namespace millrace::server
