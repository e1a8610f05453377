#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "net/http/http_handler.h"
#include "rank/request.h"
#include "server/cors.h"
#include "server/front_metrics.h"
#include "server/front_services.h"
#include "server/problem.h"
#include "server/query_fields.h"
#include "server/route_table.h"

// The door of one loop: finds the route of each request and hands it to what answers it.
//
//   HttpExchange ─► Front::on_request ─► route ─┬─ a page: answered at once, or made on a worker
//                                               ├─ RankExchange: one request, one RankCall
//                                               └─ BatchExchange: many, one RankCall per line
//
// Exchanges are kept and used again, so that a warm request allocates nothing here.

namespace millrace::server {

class BatchExchange;
class PageExchange;
class RankExchange;

/// Answers the requests of the connections of one loop.
/// Threading: loop thread; made and destroyed while the loop does not use it.
/// Lifetime: outlives its exchanges: destroy it when `open_count` is 0.
class Front {
 public:
  Front(const FrontServices& services, const FrontSettings& settings);
  ~Front();
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  /// Who gets the requests of a listener.
  [[nodiscard]] net::HttpHandler& handler(ListenerKind listener);
  /// Requests that have no answer yet, and runs whose client has gone.
  [[nodiscard]] std::size_t open_count() const { return open_count_; }

  /// Answers all single ranking requests under way with 503 `draining` and cancels their runs.
  void refuse_all();

  // For exchanges.

  [[nodiscard]] const FrontServices& services() const { return services_; }
  [[nodiscard]] const FrontSettings& settings() const { return settings_; }
  [[nodiscard]] FrontMetrics& metrics() { return metrics_; }
  [[nodiscard]] observe::RequestLog& log() { return log_; }
  [[nodiscard]] rank::RequestReader& reader() { return reader_; }
  [[nodiscard]] rank::RequestReader& batch_reader() { return batch_reader_; }
  /// Adds the fields that every answer has (S19), and what says which request it belongs to (S17).
  void add_fields(net::HttpExchange& exchange, std::string_view request_id);
  /// Adds `Retry-After` where the status calls for it (S16).
  void add_retry_after(net::HttpExchange& exchange, int status);
  /// Says why a refused request was refused, for `rankd_shed_total`.
  [[nodiscard]] std::string_view shed_reason() const;
  /// The deadline of a request (S18) without what its body says.
  [[nodiscard]] base::TimePoint deadline_of(base::TimePoint head_end,
                                            std::optional<base::Duration> limit) const;
  void give_back(RankExchange& exchange);
  void give_back(BatchExchange& exchange);
  void give_back(PageExchange& exchange);
  /// Answers with a page, and counts and logs that.
  void reply_page(net::HttpExchange& exchange,
                  const Route& route,
                  int status,
                  std::string_view body);

 private:
  class ListenerHandler;

  void on_request(net::HttpExchange& exchange, ListenerKind listener);
  void dispatch(net::HttpExchange& exchange,
                const Route& route,
                RouteMatch& match,
                const QueryFields& query);
  void start_rank(net::HttpExchange& exchange,
                  const Route& route,
                  RouteMatch& match,
                  const QueryFields& query);
  void start_batch(net::HttpExchange& exchange,
                   const Route& route,
                   RouteMatch& match,
                   const QueryFields& query);
  void start_page(net::HttpExchange& exchange, const Route& route, bool is_pretty);
  void show_plan(net::HttpExchange& exchange,
                 const Route& route,
                 const RouteMatch& match,
                 bool is_pretty);
  void show_health(net::HttpExchange& exchange, const Route& route, const QueryFields& query);
  void reply_options(net::HttpExchange& exchange, const RouteMatch& match);
  void reply_problem(net::HttpExchange& exchange,
                     std::string_view route,
                     const RequestProblem& problem);
  void reply_json(net::HttpExchange& exchange,
                  const Route& route,
                  const std::string& json,
                  bool is_pretty);
  void finish_reply(net::HttpExchange& exchange,
                    std::string_view route,
                    int status,
                    std::string_view body,
                    std::string_view error_code);
  void describe_refusal(const net::HttpRefusal& refusal,
                        net::HttpFields& fields,
                        std::string& body);
  /// The caller's id, else one of the engine's.
  [[nodiscard]] std::string id_of(const net::HttpExchange& exchange);

  const FrontServices services_;
  const FrontSettings settings_;
  const Cors cors_;
  FrontMetrics metrics_;
  observe::RequestLog log_;
  rank::RequestReader reader_;
  rank::RequestReader batch_reader_;
  std::vector<std::unique_ptr<ListenerHandler>> handlers_;
  std::vector<std::unique_ptr<RankExchange>> idle_ranks_;
  std::vector<RankExchange*> open_ranks_;  // each knows its place
  std::size_t open_count_ = 0;
};

}  // namespace millrace::server
