#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "loop/executor.h"
#include "net/http/http_handler.h"
#include "server/front_context.h"
#include "server/route_table.h"

namespace millrace::server {

/// A page that takes too long for a loop: a worker makes it, the loop sends it. Serves one request
/// and is then given back.
/// Threading: loop thread, but for the function, which a worker calls.
class PageExchange final : public net::HttpReceiver {
 public:
  PageExchange(FrontContext& front, const Route& route, std::function<std::string()> make);

  void start(net::HttpExchange& exchange);
  void on_body_end(std::string_view body) override;
  void on_gone(int status) override;

 private:
  struct WorkJob : loop::Job {
    explicit WorkJob(PageExchange& page);
    PageExchange& owner;
  };
  struct HomeJob : loop::Job {
    explicit HomeJob(PageExchange& page);
    PageExchange& owner;
  };
  void deliver();

  FrontContext& front_;
  const Route& route_;
  const std::function<std::string()> make_;
  WorkJob work_job_;
  HomeJob home_job_;
  net::HttpExchange* exchange_ = nullptr;  // nullptr: the client has gone
  FrontContext::Asked asked_;
  std::string body_;
  bool is_made_ = false;  // a worker has it, or had it
  bool has_no_memory_ = false;
};

}  // namespace millrace::server
