#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "loop/executor.h"
#include "net/http/http_handler.h"
#include "server/admin_desk.h"
#include "server/front_context.h"
#include "server/problem.h"
#include "server/route_table.h"

namespace millrace::server {

/// Refuses requests of web pages, which have an `Origin`: a browser on the machine of an operator
/// must not lend its address to them.
[[nodiscard]] std::expected<void, RequestProblem> check_no_page(const net::HttpFields& fields);

/// Reads the body of an admin request. An empty body is an object without members.
[[nodiscard]] std::expected<AdminOrder, RequestProblem> read_admin_body(RouteAction action,
                                                                        std::string_view body);

/// A request that changes plans: another thread does it, the loop sends the answer. What was asked
/// for is done even if the client goes away meanwhile. Serves one request and is then given back.
/// Threading: loop thread, but for what the desk calls.
class AdminExchange final : public net::HttpReceiver {
 public:
  struct Terms {
    std::string plan = {};
    bool is_dry_run = false;
    bool is_pretty = false;
  };
  AdminExchange(FrontContext& front, const Route& route, Terms terms);

  void start(net::HttpExchange& exchange);
  void on_body_end(std::string_view body) override;
  void on_gone(int status) override;

 private:
  struct HomeJob : loop::Job {
    explicit HomeJob(AdminExchange& exchange);
    AdminExchange& owner;
  };
  void deliver();

  FrontContext& front_;
  const Route& route_;
  const Terms terms_;
  HomeJob home_job_;
  net::HttpExchange* exchange_ = nullptr;  // nullptr: the client has gone
  FrontContext::Asked asked_;
  AdminDesk::Reply reply_;
  bool is_submitted_ = false;
};

}  // namespace millrace::server
