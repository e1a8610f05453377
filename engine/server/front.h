#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http/http_handler.h"
#include "server/access/access_rule.h"
#include "server/cors.h"
#include "server/front_context.h"
#include "server/pages/fixed_page.h"
#include "server/problem.h"
#include "server/query_fields.h"
#include "server/route_table.h"

// The door of one loop: finds the route of each request and hands it to what answers it.
//
//   HttpExchange ─► Front::on_request ─► route ─┬─ a page: answered at once, or made on a worker
//                                               ├─ RankExchange: one request, one RankCall
//                                               ├─ BatchExchange: many, one RankCall per line
//                                               └─ AdminExchange: changes plans, on another thread
//   a message ───► Front::on_message ───────────── RankExchange
//
// Exchanges are kept and used again, so that a warm request allocates nothing here.

namespace millrace::server {

/// Answers the requests of the connections of one loop.
/// Threading: loop thread; made and destroyed while the loop does not use it.
/// Lifetime: outlives its exchanges: destroy it when `open_count` is 0.
class Front final : public FrontContext {
 public:
  Front(const FrontServices& services, const FrontSettings& settings);
  ~Front() override;

  /// Who gets the requests of a listener.
  [[nodiscard]] net::HttpHandler& handler(ListenerKind listener);
  /// Answers a ranking request that came as a message for a plan (NAT2), by the rules of requests
  /// over HTTP.
  void on_message(net::HttpExchange& exchange, const std::string& plan, std::size_t body_bytes);
  /// Counts and logs a message whose answer was larger than a message may be.
  void record_oversize(const net::HttpExchange& exchange, int status);
  /// Requests that have no answer yet, and runs whose client has gone.
  [[nodiscard]] std::size_t open_count() const { return open_count_; }

  /// Answers all single ranking requests under way with 503 `draining` and cancels their runs.
  void refuse_all();

  /// Uses other keys from now on; requests under way keep those they have.
  void set_keys(std::shared_ptr<const AccessKeys> keys) { keys_ = std::move(keys); }

  void give_back(RankExchange& exchange) override;
  void give_back(BatchExchange& exchange) override;
  void give_back(PageExchange& exchange) override;
  void give_back(AdminExchange& exchange) override;

 private:
  class ListenerHandler;

  void on_request(net::HttpExchange& exchange, ListenerKind listener);
  void dispatch(net::HttpExchange& exchange,
                const Route& route,
                RouteMatch& match,
                const QueryFields& query,
                const GrantedKey& key);
  void start_rank(net::HttpExchange& exchange,
                  const Route& route,
                  RouteMatch& match,
                  const QueryFields& query,
                  const GrantedKey& key);
  void start_batch(net::HttpExchange& exchange,
                   const Route& route,
                   RouteMatch& match,
                   const QueryFields& query,
                   const GrantedKey& key);
  void start_page(net::HttpExchange& exchange,
                  const Route& route,
                  std::function<std::string()> make,
                  bool is_pretty);
  void show_graph(net::HttpExchange& exchange,
                  const Route& route,
                  const RouteMatch& match,
                  bool is_pretty);
  void start_admin(net::HttpExchange& exchange,
                   const Route& route,
                   RouteMatch& match,
                   const QueryFields& query);
  void show_plan(net::HttpExchange& exchange,
                 const Route& route,
                 const RouteMatch& match,
                 bool is_pretty);
  void show_health(net::HttpExchange& exchange, const Route& route, const QueryFields& query);
  void reply_options(net::HttpExchange& exchange, const RouteMatch& match);
  void reply_json(net::HttpExchange& exchange,
                  const Route& route,
                  const std::string& json,
                  bool is_pretty);
  void reply_fixed(net::HttpExchange& exchange, const Route& route, const FixedPage& page);
  void describe_refusal(const net::HttpRefusal& refusal,
                        const net::HttpExchange* exchange,
                        ListenerKind listener,
                        net::HttpFields& fields,
                        std::string& body);

  /// Counts and answers a request that its key's quota refuses.
  void refuse_over_quota(net::HttpExchange& exchange,
                         const Route& route,
                         const RequestProblem& problem);

  const Cors cors_;
  std::shared_ptr<const AccessKeys> keys_;
  std::vector<std::unique_ptr<ListenerHandler>> handlers_;
  std::vector<std::unique_ptr<RankExchange>> idle_ranks_;
  std::vector<RankExchange*> open_ranks_;  // each knows its place
  std::size_t open_count_ = 0;
};

}  // namespace millrace::server
