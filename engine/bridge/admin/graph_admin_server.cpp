#include "bridge/admin/graph_admin_server.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bridge/admin/graph_admin.h"
#include "host/loop_call.h"
#include "loop/event_loop.h"
#include "loop/executor.h"
#include "net/address.h"
#include "net/http/connection_spreader.h"
#include "net/http/http_handler.h"
#include "net/http/http_server.h"
#include "net/uv_listener.h"

namespace millrace::bridge {
namespace {

constexpr std::size_t kBodyBytesMax = std::size_t{1} << 20U;
constexpr std::size_t kConnectionsMax = 64;

bool is_of_this_machine(const net::Address& address) {
  return address.is_unix() || address.host == "::1" || address.host.starts_with("127.");
}

}  // namespace

/// One request. Deletes itself when it has ended and no job of it is under way.
class GraphAdminServer::Exchange final : public net::HttpReceiver {
 public:
  Exchange(GraphAdminServer& server, net::HttpExchange& exchange)
      : server_(server), exchange_(&exchange), work_job_(*this), home_job_(*this) {
    exchange.receive(*this, {.bytes_max = kBodyBytesMax});
  }

  void on_body_end(std::string_view body) override {
    const net::HttpRequestHead& head = exchange_->head();
    request_ = {.method = head.method,
                .path = exchange_->target().path,
                .query = exchange_->target().query,
                .accept = head.fields.find("Accept").value_or(std::string_view()),
                .body = body,
                .is_from_page = head.fields.find("Origin").has_value()};
    if (!GraphAdmin::may_wait(request_)) {
      reply_ = server_.admin_.answer(request_);
      return deliver();
    }
    // The client may go away, and the request with it.
    body_ = std::string(body);
    request_ = {.method = "POST",
                .path = "/v1/config",
                .body = body_,
                .is_from_page = request_.is_from_page};
    is_under_way_ = true;
    server_.waiting_->post(work_job_);
  }

  void on_gone(int /*status*/) override {
    exchange_ = nullptr;
    if (!is_under_way_) delete this;
  }

 private:
  struct WorkJob : loop::Job {
    explicit WorkJob(Exchange& exchange)
        : Job([](Job& job) {
            Exchange& self = static_cast<WorkJob&>(job).owner;
            self.reply_ = self.server_.admin_.answer(self.request_);
            self.server_.loop_->post(self.home_job_);
          }),
          owner(exchange) {}
    Exchange& owner;
  };
  struct HomeJob : loop::Job {
    explicit HomeJob(Exchange& exchange)
        : Job([](Job& job) { static_cast<HomeJob&>(job).owner.deliver(); }), owner(exchange) {}
    Exchange& owner;
  };

  void deliver() {
    if (exchange_ != nullptr) {
      net::HttpFields& fields = exchange_->reply_fields();
      fields.add("Content-Type", reply_.content_type);
      fields.add("Cache-Control", "no-store");
      if (!reply_.allow.empty()) fields.add("Allow", reply_.allow);
      exchange_->reply(reply_.status, reply_.body);
    }
    delete this;
  }

  GraphAdminServer& server_;
  net::HttpExchange* exchange_;  // nullptr: the client has gone
  WorkJob work_job_;
  HomeJob home_job_;
  AdminRequest request_ = {};
  AdminReply reply_ = {};
  std::string body_;
  bool is_under_way_ = false;  // another thread has it
};

class GraphAdminServer::Handler final : public net::HttpHandler {
 public:
  explicit Handler(GraphAdminServer& server) : server_(server) {}
  void on_request(net::HttpExchange& exchange) override {
    // Owns itself until it has ended.
    static_cast<void>(new Exchange(server_, exchange));
  }

 private:
  GraphAdminServer& server_;
};

GraphAdminServer::GraphAdminServer(const GraphAdmin& admin) : admin_(admin) {}

base::Result<std::unique_ptr<GraphAdminServer>> GraphAdminServer::start(
    const GraphAdmin& admin, const GraphAdminOptions& options) {
  MR_TRY(const net::Address address, net::parse_listen_address(options.address));
  if (!options.is_anywhere_allowed && !is_of_this_machine(address)) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "Other machines could stop the graph there: use 127.0.0.1, [::1] or "
                      "unix:PATH, or say --admin-anywhere",
                      options.address);
  }
  std::unique_ptr<GraphAdminServer> server(new GraphAdminServer(admin));
  MR_TRY(server->loop_, loop::EventLoop::create("graph-admin"));
  MR_TRY(server->waiting_, loop::EventLoop::create("graph-config"));
  MR_TRY_STATUS(server->listen(address));
  return server;
}

base::Status GraphAdminServer::listen(const net::Address& address) {
  base::Status status;
  host::run_on_loop(*loop_, [&] {
    handler_ = std::make_unique<Handler>(*this);
    http_ = std::make_unique<net::HttpServer>(net::HttpServer::Parts{.loop = *loop_});
    spreader_ = std::make_unique<net::ConnectionSpreader>(*loop_, kConnectionsMax);
    spreader_->add_target(*loop_, *http_);
    net::ConnectionSpreader::Port& port =
        spreader_->add_port(std::vector<net::HttpHandler*>{handler_.get()});
    auto listener = net::UvListener::listen(*loop_, address, port);
    if (!listener) {
      status = std::unexpected(listener.error());
      return;
    }
    listener_ = *std::move(listener);
    port.set_listener(*listener_);
    address_ = listener_->address();
  });
  return status;
}

GraphAdminServer::~GraphAdminServer() {
  if (loop_ == nullptr || waiting_ == nullptr) return;
  host::run_on_loop(*loop_, [this] { listener_.reset(); });
  // Answers that other threads work on come home before their connections close.
  waiting_->stop();
  host::run_on_loop(*loop_, [this] { http_.reset(); });
  host::run_on_loop(*loop_, [this] { spreader_.reset(); });
  loop_->stop();
}

}  // namespace millrace::bridge
