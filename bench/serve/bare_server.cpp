#include "bench/serve/bare_server.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <semaphore>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "bench/serve/served.h"
#include "loop/event_loop.h"
#include "loop/executor.h"
#include "net/http/connection_spreader.h"
#include "net/http/http_handler.h"
#include "net/http/http_server.h"
#include "net/uv_listener.h"

namespace millrace::bench {
namespace {

/// Answers one request when its body has come; used again and again.
class BareCall final : public net::HttpReceiver {
 public:
  explicit BareCall(std::vector<std::unique_ptr<BareCall>>& free) : free_(free) {}
  void take(net::HttpExchange& exchange, std::unique_ptr<BareCall> self) {
    exchange_ = &exchange;
    self_ = std::move(self);
    exchange.receive(*this, {});
  }

 private:
  void on_body_end(std::string_view /*body*/) override {
    exchange_->reply_fields().add("Content-Type", "application/json");
    exchange_->reply(200, reply_body());
    free_.push_back(std::move(self_));
  }
  void on_gone(int /*status*/) override { free_.push_back(std::move(self_)); }

  std::vector<std::unique_ptr<BareCall>>& free_;
  net::HttpExchange* exchange_ = nullptr;
  std::unique_ptr<BareCall> self_;
};

class BareHandler final : public net::HttpHandler {
 public:
  void on_request(net::HttpExchange& exchange) override {
    if (free_.empty()) free_.push_back(std::make_unique<BareCall>(free_));
    std::unique_ptr<BareCall> call = std::move(free_.back());
    free_.pop_back();
    BareCall& taken = *call;
    taken.take(exchange, std::move(call));
  }

 private:
  std::vector<std::unique_ptr<BareCall>> free_;
};

class BareServer final : public Served {
 public:
  BareServer() {
    on_loop([this] {
      thread_ = ::gettid();
      server_ = std::make_unique<net::HttpServer>(net::HttpServer::Parts{.loop = *loop_});
      spreader_ = std::make_unique<net::ConnectionSpreader>(*loop_, 10'000);
      spreader_->add_target(*loop_, *server_);
      net::ConnectionSpreader::Port& port = spreader_->add_port({&handler_});
      listener_ = net::UvListener::listen(*loop_, {.host = "127.0.0.1"}, port).value();
      port.set_listener(*listener_);
    });
  }
  ~BareServer() override {
    on_loop([this] {
      listener_.reset();
      server_.reset();
    });
    loop_->stop();
  }
  [[nodiscard]] std::uint16_t port() const override { return listener_->address().port; }
  [[nodiscard]] pid_t thread() const override { return thread_; }

 private:
  void on_loop(std::function<void()> function) {
    struct Call final : loop::Job {
      explicit Call(std::function<void()> called) : Job(&run_call), function(std::move(called)) {}
      static void run_call(Job& job) {
        auto& self = static_cast<Call&>(job);
        self.function();
        self.done.release();
      }
      std::function<void()> function;
      std::binary_semaphore done{0};
    } call(std::move(function));
    loop_->post(call);
    call.done.acquire();
  }

  BareHandler handler_;
  std::unique_ptr<loop::EventLoop> loop_ = loop::EventLoop::create("bare").value();
  pid_t thread_ = 0;
  std::unique_ptr<net::ConnectionSpreader> spreader_;
  std::unique_ptr<net::HttpServer> server_;
  std::unique_ptr<net::UvListener> listener_;
};

}  // namespace

std::unique_ptr<Served> start_bare_server() { return std::make_unique<BareServer>(); }

}  // namespace millrace::bench
