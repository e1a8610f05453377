#include "server/front_context.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "observe/prometheus_writer.h"
#include "server/call_headers.h"
#include "server/overload/overload_metrics.h"

namespace millrace::server {
namespace {

constexpr std::uint64_t kRetryAfterMax = 3;  // seconds

rank::RequestLimits batch_limits() { return {.priority = runtime::Priority::kLow}; }

}  // namespace

FrontContext::FrontContext(const FrontServices& services, const FrontSettings& settings)
    : services_(services),
      settings_(settings),
      metrics_(*services.metrics),
      own_delays_(services.limit),
      traces_(*services.random, settings.trace_root_share),
      own_delays_binding_(*services.metrics),
      log_(services.log, settings.log_rule),
      batch_reader_(batch_limits()) {
  own_delays_binding_.bind(kOwnDelay, {}, &own_delays_.delays());
}

void FrontContext::add_fields(net::HttpFields& fields, std::string_view request_id) {
  // An id from a body may be any text; only what a header can carry is put there.
  if (!request_id.empty() &&
      std::ranges::all_of(request_id, [](char byte) { return byte > ' ' && byte < 127; }))
    fields.add("X-Request-Id", request_id);
  fields.add("Cache-Control", "no-store");
  fields.add("X-Content-Type-Options", "nosniff");
}

void FrontContext::add_retry_after(net::HttpFields& fields, int status) {
  if (status != 429 && status != 503) return;
  fields.add("Retry-After", std::to_string(1 + services_.random->below(kRetryAfterMax)));
}

base::TimePoint FrontContext::deadline_of(base::TimePoint head_end,
                                          std::optional<base::Duration> limit) const {
  base::Duration least = settings_.deadline_max;
  if (settings_.deadline) least = std::min(least, *settings_.deadline);
  if (limit) least = std::min(least, *limit);
  return head_end + least;
}

void FrontContext::reply_page(net::HttpExchange& exchange,
                              const Route& route,
                              int status,
                              std::string_view body) {
  const bool is_metrics = route.action == RouteAction::kMetrics;
  exchange.reply_fields().add("Content-Type",
                              is_metrics ? observe::content_type(observe::format_for(
                                               exchange.head().fields.find("Accept").value_or("")))
                                         : route.reply_type);
  finish_reply(exchange, route.path, status, body);
}

void FrontContext::reply_problem(net::HttpExchange& exchange,
                                 std::string_view route,
                                 const RequestProblem& problem) {
  const int status = problem_of(problem.code).status;
  const std::string engine_id = plans().ranker->make_request_id();
  const std::string caller_id(find_request_id(exchange.head().fields).value_or(""));
  std::string body;
  write_problem(problem, {.request_id = caller_id, .engine_request_id = engine_id}, body);
  exchange.reply_fields().add("Content-Type", kProblemType);
  add_fields(exchange.reply_fields(), caller_id.empty() ? engine_id : caller_id);
  add_retry_after(exchange.reply_fields(), status);
  const Asked asked = asked_of(exchange, status);
  if (!exchange.reply(status, body)) return;
  metrics_.count_reply(route, status);
  log_.write({.request_id = caller_id,
              .engine_request_id = engine_id,
              .method = asked.method,
              .route = route,
              .client = asked.client,
              .status = status,
              .outcome = outcome_name(rank::RankOutcome::kInvalid),
              .error_code = problem.code,
              .bytes_out = body.size()});
}

FrontContext::Asked FrontContext::asked_of(const net::HttpExchange& exchange, int status) const {
  if (!log_.takes(status)) return {};
  return {.method = exchange.head().method, .client = exchange.peer()};
}

void FrontContext::record_gone(std::string_view route, const Asked& asked, int status) {
  if (status != net::kHttpClientGone) return;
  metrics_.count_reply(route, status);
  log_.write({.method = asked.method,
              .route = route,
              .client = asked.client,
              .status = status,
              .outcome = outcome_name(rank::RankOutcome::kCancelled)});
}

void FrontContext::finish_reply(net::HttpExchange& exchange,
                                std::string_view route,
                                int status,
                                std::string_view body) {
  const auto given = find_request_id(exchange.head().fields);
  const std::string id = given ? std::string(*given) : plans().ranker->make_request_id();
  add_fields(exchange.reply_fields(), id);
  add_retry_after(exchange.reply_fields(), status);
  const Asked asked = asked_of(exchange, status);
  const base::Duration took = services_.loop->clock().now() - exchange.times().head_end;
  if (!exchange.reply(status, body)) return;
  metrics_.count_reply(route, status);
  log_.write({.request_id = id,
              .method = asked.method,
              .route = route,
              .client = asked.client,
              .status = status,
              .took = took,
              .bytes_out = body.size()});
}

}  // namespace millrace::server
