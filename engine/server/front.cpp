#include "server/front.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/problems/message_text.h"
#include "net/http/http_coding.h"
#include "net/http_head.h"
#include "server/admin_exchange.h"
#include "server/batch_exchange.h"
#include "server/call_headers.h"
#include "server/graphs/graph_routes.h"
#include "server/page_exchange.h"
#include "server/pages/json_indent.h"
#include "server/pages/openapi.h"
#include "server/pages/plan_pages.h"
#include "server/rank_exchange.h"

namespace millrace::server {
namespace {

/// The label of requests that no route takes; their path is the caller's text.
constexpr std::string_view kNoRoute = "none";
constexpr std::size_t kIdleMax = 1024;
/// What messages count as in metrics and logs; no path leads there.
constexpr Route kMessageRoute{.method = "NATS",
                              .path = "nats",
                              .action = RouteAction::kRank,
                              .id = "rankMessage",
                              .summary = "Rank one request that came over NATS"};

}  // namespace

/// Tells a front from which listener a request comes.
class Front::ListenerHandler final : public net::HttpHandler {
 public:
  ListenerHandler(Front& front, ListenerKind listener) : front_(front), listener_(listener) {}
  void on_request(net::HttpExchange& exchange) override { front_.on_request(exchange, listener_); }
  void describe_refusal(const net::HttpRefusal& refusal,
                        const net::HttpExchange* exchange,
                        net::HttpFields& fields,
                        std::string& body) override {
    front_.describe_refusal(refusal, exchange, listener_, fields, body);
  }

 private:
  Front& front_;
  const ListenerKind listener_;
};

Front::Front(const FrontServices& services, const FrontSettings& settings)
    : FrontContext(services, settings), cors_(settings.cors_origins), keys_(services.keys) {
  for (const ListenerKind kind : {ListenerKind::kMain, ListenerKind::kAdmin})
    handlers_.push_back(std::make_unique<ListenerHandler>(*this, kind));
}

Front::~Front() { MR_CHECK(open_count_ == 0, open_count_); }

net::HttpHandler& Front::handler(ListenerKind listener) {
  return *handlers_[static_cast<std::size_t>(listener)];
}

void Front::on_request(net::HttpExchange& exchange, ListenerKind listener) {
  const net::HttpRequestHead& head = exchange.head();
  cors_.add_fields(head.fields, exchange.reply_fields());
  if (services().readiness != nullptr && services().readiness->is_draining())
    exchange.close_after_reply();
  RouteMatch match = match_path(exchange.target().path, listener, settings().has_admin);
  if (head.method == "OPTIONS" && (match.count > 0 || exchange.target().path == "*"))
    return reply_options(exchange, match);
  if (match.count == 0) {
    return reply_problem(
        exchange,
        kNoRoute,
        {.code = "no_route", .detail = "No route has this path; GET /openapi.json lists them all"});
  }
  const Route* const route = match.find(head.method);
  if (route == nullptr) {
    exchange.reply_fields().add("Allow", match.allowed_methods());
    return reply_problem(
        exchange,
        match.routes[0]->path,
        {.code = "method_not_allowed",
         .detail = base::format("This path has the methods {}", match.allowed_methods())});
  }
  const auto key = check_access(keys_, *route, exchange.peer(), head.fields);
  if (!key) {
    if (key.error().code == "unauthorized")
      exchange.reply_fields().add("WWW-Authenticate", "Bearer realm=\"rankd\"");
    return reply_problem(exchange, route->path, key.error());
  }
  // The same answer whether the plan exists or not.
  if (*key != nullptr && !match.name.empty() && !(*key)->may_use(match.name)) {
    return reply_problem(
        exchange,
        route->path,
        {.code = "not_allowed",
         .detail = base::format("The key does not cover the plan '{}'", match.name)});
  }
  const auto query = QueryFields::read(exchange.target().query, route->query);
  if (!query) return reply_problem(exchange, route->path, query.error());
  if (match.is_name_bad) {
    return reply_problem(
        exchange, route->path, {.code = "unknown_plan", .detail = "No plan can have this name"});
  }
  dispatch(exchange, *route, match, *query, *key);
}

void Front::on_message(net::HttpExchange& exchange,
                       const std::string& plan,
                       std::size_t body_bytes) {
  const auto key = check_access(keys_, kMessageRoute, exchange.peer(), exchange.head().fields);
  if (!key) return reply_problem(exchange, kMessageRoute.path, key.error());
  if (body_bytes > settings().body_bytes_max) {
    return reply_problem(exchange,
                         kMessageRoute.path,
                         {.code = "too_large",
                          .detail = base::format("The request has {} bytes, and {} are allowed",
                                                 body_bytes,
                                                 settings().body_bytes_max)});
  }
  RouteMatch match{.name = plan};
  start_rank(exchange, kMessageRoute, match, QueryFields(), *key);
}

void Front::record_oversize(const net::HttpExchange& exchange, int status) {
  metrics().count_reply(kMessageRoute.path, status);
  log().write({.request_id = find_request_id(exchange.head().fields).value_or(""),
               .method = kMessageRoute.method,
               .route = kMessageRoute.path,
               .client = exchange.peer(),
               .status = status,
               .error_code = "response_too_large"});
}

void Front::dispatch(net::HttpExchange& exchange,
                     const Route& route,
                     RouteMatch& match,
                     const QueryFields& query,
                     const GrantedKey& key) {
  const bool is_pretty = query.wants_pretty();
  switch (route.action) {
    case RouteAction::kRank:
    case RouteAction::kRankByQuery:
    case RouteAction::kExplainRequest:
      return start_rank(exchange, route, match, query, key);
    case RouteAction::kBatch:
      return start_batch(exchange, route, match, query, key);
    case RouteAction::kListPlans:
      return reply_json(exchange, route, plans_page(*plans().plans, key.get()), is_pretty);
    case RouteAction::kShowPlan:
    case RouteAction::kShowVersions:
    case RouteAction::kExplainPlan:
      return show_plan(exchange, route, match, is_pretty);
    case RouteAction::kOpenApi:
      return reply_fixed(exchange, route, openapi_page(is_pretty));
    case RouteAction::kIndex: {
      auto names = plans().plans->names();
      if (key != nullptr)
        std::erase_if(names, [&](std::string_view name) { return !key->may_use(name); });
      const auto host = exchange.head().fields.find("Host").value_or("127.0.0.1:8080");
      return reply_page(exchange,
                        route,
                        200,
                        index_page({.address = std::string(host),
                                    .plan = std::string(names.empty() ? "PLAN" : names.front()),
                                    .listener = match.listener,
                                    .has_admin = settings().has_admin}));
    }
    case RouteAction::kLive:
    case RouteAction::kReady:
      return show_health(exchange, route, query);
    case RouteAction::kMetrics: {
      std::string accept(exchange.head().fields.find("Accept").value_or(std::string_view()));
      const auto make = [page = services().metrics_page, accept] { return page(accept); };
      return start_page(exchange, route, make, false);
    }
    case RouteAction::kStats:
      return start_page(exchange, route, services().stats_page, is_pretty);
    case RouteAction::kListGraphs:
    case RouteAction::kShowGraph:
    case RouteAction::kShowWhy:
      return show_graph(exchange, route, match, is_pretty);
    case RouteAction::kReload:
    case RouteAction::kRollback:
    case RouteAction::kPin:
    case RouteAction::kUnpin:
    case RouteAction::kCanary:
    case RouteAction::kUpload:
      return start_admin(exchange, route, match, query);
  }
}

void Front::start_rank(net::HttpExchange& exchange,
                       const Route& route,
                       RouteMatch& match,
                       const QueryFields& query,
                       const GrantedKey& key) {
  const net::HttpFields& fields = exchange.head().fields;
  const auto limit = find_time_limit(fields);
  if (!limit) return reply_problem(exchange, route.path, limit.error());
  std::string query_request;
  if (route.action == RouteAction::kRankByQuery) {
    if (auto done = write_request(query, query_request); !done)
      return reply_problem(exchange, route.path, done.error());
  } else if (auto good = check_body_type(fields, false); !good) {
    return reply_problem(exchange, route.path, good.error());
  }
  auto quota = QuotaPlace::take(key, services().loop->clock().now());
  if (!quota) return refuse_over_quota(exchange, route, quota.error());
  std::unique_ptr<RankExchange> free;
  if (idle_ranks_.empty()) {
    free = std::make_unique<RankExchange>(*this);
  } else {
    free = std::move(idle_ranks_.back());
    idle_ranks_.pop_back();
  }
  ++open_count_;
  free->set_place(open_ranks_.size());
  open_ranks_.push_back(free.get());
  // It owns itself until it is given back.
  free.release()->start(exchange,
                        {.route = &route,
                         .plan = match.name,
                         .query_request = query_request,
                         .deadline = deadline_of(exchange.times().head_end, *limit),
                         .is_pretty = query.wants_pretty(),
                         .key = key},
                        *std::move(quota));
}

void Front::refuse_over_quota(net::HttpExchange& exchange,
                              const Route& route,
                              const RequestProblem& problem) {
  // Neither plan nor class is known before the body is.
  metrics().ledger().begin(runtime::Priority::kNormal);
  metrics().end_rank(nullptr, {.outcome = rank::RankOutcome::kRefused});
  const base::TimePoint head_end = exchange.times().head_end;
  reply_problem(exchange, route.path, problem);
  metrics().count_shed(
      ShedReason::kQuota, runtime::Priority::kNormal, services().loop->clock().now() - head_end);
}

void Front::start_batch(net::HttpExchange& exchange,
                        const Route& route,
                        RouteMatch& match,
                        const QueryFields& query,
                        const GrantedKey& key) {
  const net::HttpFields& fields = exchange.head().fields;
  const auto limit = find_time_limit(fields);
  if (!limit) return reply_problem(exchange, route.path, limit.error());
  if (auto good = check_body_type(fields, true); !good)
    return reply_problem(exchange, route.path, good.error());
  const std::string_view order = query.find("order").value_or("input");
  if (order != "input" && order != "done") {
    return reply_problem(
        exchange, route.path, {.code = "bad_value", .detail = "'order' must be input or done"});
  }
  ++open_count_;
  // It owns itself until it is given back.
  auto batch = std::make_unique<BatchExchange>(
      *this,
      BatchOrder{.route = &route,
                 .plan = std::move(match.name),
                 .deadline = *limit ? std::optional(deadline_of(exchange.times().head_end, *limit))
                                    : std::nullopt,
                 .in_input_order = order == "input",
                 .key = key});
  batch.release()->start(exchange);
}

void Front::start_page(net::HttpExchange& exchange,
                       const Route& route,
                       std::function<std::string()> make,
                       bool is_pretty) {
  if (is_pretty) {
    make = [page = std::move(make)] {
      std::string indented;
      append_indented(page(), indented);
      return indented;
    };
  }
  ++open_count_;
  auto page = std::make_unique<PageExchange>(*this, route, std::move(make));
  page.release()->start(exchange);
}

void Front::show_graph(net::HttpExchange& exchange,
                       const Route& route,
                       const RouteMatch& match,
                       bool is_pretty) {
  auto page = graph_page(services().graphs, route, match);
  if (!page) return reply_problem(exchange, route.path, page.error());
  start_page(exchange, route, *std::move(page), is_pretty);
}

void Front::start_admin(net::HttpExchange& exchange,
                        const Route& route,
                        RouteMatch& match,
                        const QueryFields& query) {
  if (auto allowed = check_no_page(exchange.head().fields); !allowed)
    return reply_problem(exchange, route.path, allowed.error());
  if (auto good = check_body_type(exchange.head().fields, false); !good)
    return reply_problem(exchange, route.path, good.error());
  const auto is_dry_run = query.find_flag("dry_run");
  if (!is_dry_run) return reply_problem(exchange, route.path, is_dry_run.error());
  if (services().admin == nullptr) {
    return reply_problem(
        exchange, route.path, {.code = "not_allowed", .detail = "Plans cannot be changed here"});
  }
  ++open_count_;
  // It owns itself until it is given back.
  auto admin =
      std::make_unique<AdminExchange>(*this,
                                      route,
                                      AdminExchange::Terms{.plan = std::move(match.name),
                                                           .is_dry_run = *is_dry_run,
                                                           .is_pretty = query.wants_pretty()});
  admin.release()->start(exchange);
}

void Front::show_plan(net::HttpExchange& exchange,
                      const Route& route,
                      const RouteMatch& match,
                      bool is_pretty) {
  const rank::LoadedPlan* const plan = plans().plans->find(match.name);
  if (plan == nullptr) {
    return reply_problem(
        exchange,
        route.path,
        {.code = "unknown_plan",
         .detail = base::format("No plan '{}' is loaded{}",
                                match.name,
                                base::did_you_mean(match.name, plans().plans->names()))});
  }
  const std::string page =
      route.action == RouteAction::kShowPlan       ? plan_page(*plan, *plans().registry)
      : route.action == RouteAction::kShowVersions ? versions_page(*plan, plans().versions.get())
                                                   : explain_page(*plan, *plans().registry);
  reply_json(exchange, route, page, is_pretty);
}

void Front::show_health(net::HttpExchange& exchange, const Route& route, const QueryFields& query) {
  const bool is_verbose = query.find("verbose").has_value();
  if (route.action == RouteAction::kReady) {
    const bool is_ready = services().readiness->is_ready();
    std::string text = is_verbose ? services().readiness->to_text() : std::string();
    text += is_ready ? "ok\n" : "not ready\n";
    return reply_page(exchange, route, is_ready ? 200 : 503, text);
  }
  const auto stuck = services().pulses->find_stuck(services().loop->clock().now());
  if (!stuck) return reply_page(exchange, route, 200, "ok\n");
  reply_page(exchange, route, 503, base::format("loop {} has not turned for a second\n", *stuck));
}

void Front::reply_options(net::HttpExchange& exchange, const RouteMatch& match) {
  net::HttpFields& fields = exchange.reply_fields();
  fields.add("Allow", match.count > 0 ? match.allowed_methods() : "GET, HEAD, POST, OPTIONS");
  if (Cors::is_preflight("OPTIONS", exchange.head().fields))
    cors_.add_preflight_fields(exchange.head().fields, fields);
  finish_reply(exchange, match.count > 0 ? match.routes[0]->path : kNoRoute, 204, {});
}

void Front::reply_json(net::HttpExchange& exchange,
                       const Route& route,
                       const std::string& json,
                       bool is_pretty) {
  if (!is_pretty) return reply_page(exchange, route, 200, json);
  std::string indented;
  append_indented(json, indented);
  reply_page(exchange, route, 200, indented);
}

void Front::reply_fixed(net::HttpExchange& exchange, const Route& route, const FixedPage& page) {
  if (!net::accepts_gzip(exchange.head().fields))
    return reply_page(exchange, route, 200, page.plain);
  exchange.reply_fields().add("Content-Encoding", "gzip");
  reply_page(exchange, route, 200, page.gzip);
}

void Front::describe_refusal(const net::HttpRefusal& refusal,
                             const net::HttpExchange* exchange,
                             ListenerKind listener,
                             net::HttpFields& fields,
                             std::string& body) {
  const ProblemEntry& entry = problem_of_status(refusal.status);
  const std::string id = plans().ranker->make_request_id();
  std::string_view route = kNoRoute;
  std::string_view caller_id;
  if (exchange != nullptr) {
    const net::HttpRequestHead& head = exchange->head();
    const RouteMatch match = match_path(exchange->target().path, listener, settings().has_admin);
    if (match.count > 0) route = match.routes[0]->path;
    caller_id = find_request_id(head.fields).value_or(std::string_view());
    cors_.add_fields(head.fields, fields);
  }
  write_problem({.code = entry.code, .detail = std::string(refusal.detail)},
                {.request_id = caller_id, .engine_request_id = id},
                body);
  fields.add("Content-Type", kProblemType);
  add_fields(fields, caller_id.empty() ? std::string_view(id) : caller_id);
  add_retry_after(fields, refusal.status);
  metrics().count_reply(route, refusal.status);
  log().write({.request_id = caller_id,
               .engine_request_id = id,
               .method = exchange != nullptr ? std::string_view(exchange->head().method) : "",
               .route = route,
               .client = exchange != nullptr ? std::string_view(exchange->peer()) : "",
               .status = refusal.status,
               .outcome = outcome_name(rank::RankOutcome::kInvalid),
               .error_code = entry.code,
               .bytes_out = body.size()});
}

void Front::give_back(RankExchange& exchange) {
  --open_count_;
  open_ranks_[exchange.place()] = open_ranks_.back();
  open_ranks_[exchange.place()]->set_place(exchange.place());
  open_ranks_.pop_back();
  std::unique_ptr<RankExchange> owned(&exchange);
  if (idle_ranks_.size() < kIdleMax) idle_ranks_.push_back(std::move(owned));
}

void Front::refuse_all() {
  // Cancelling may give an exchange back at once, which changes the list.
  const std::vector<RankExchange*> open = open_ranks_;
  for (RankExchange* const exchange : open) exchange->refuse();
}

void Front::give_back(BatchExchange& exchange) {
  --open_count_;
  const std::unique_ptr<BatchExchange> owned(&exchange);
}

void Front::give_back(PageExchange& exchange) {
  --open_count_;
  const std::unique_ptr<PageExchange> owned(&exchange);
}

void Front::give_back(AdminExchange& exchange) {
  --open_count_;
  const std::unique_ptr<AdminExchange> owned(&exchange);
}

}  // namespace millrace::server
