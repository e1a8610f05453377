#include "stores/http/http_probe.h"

#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <utility>

#include "base/random.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/executor.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "net/uv_connector.h"
#include "plan/registry/registry.h"
#include "stores/http/http_fetch_client.h"

namespace millrace::stores {
namespace {

using HttpAnswer = base::Result<net::HttpReply>;

/// Sends one request on a loop and ends the client there.
class HttpProbe final : public loop::Job, public net::HttpCall {
 public:
  HttpProbe(loop::EventLoop& loop, net::HttpClientOptions options)
      : Job(&step), loop_(loop), connector_(loop), options_(std::move(options)) {}

  [[nodiscard]] HttpAnswer run() {
    loop_.post(*this);
    ended_.acquire();
    return *std::move(reply_);
  }

 private:
  static void step(Job& job) {
    auto& self = static_cast<HttpProbe&>(job);
    if (self.reply_) {
      self.client_.reset();
      return self.ended_.release();
    }
    self.client_ =
        std::make_unique<net::HttpClient>(self.loop_, self.connector_, self.random_, self.options_);
    if (const base::Status sent = self.client_->send(self, {}, {}); !sent) {
      self.on_done(std::unexpected(sent.error()));
    }
  }
  void on_done(HttpAnswer reply) override {
    reply_ = std::move(reply);
    // The client is still busy with this reply: it goes in a turn of its own.
    loop_.post(*this);
  }

  loop::EventLoop& loop_;
  net::UvConnector connector_;
  base::SplitMix64 random_{1};
  const net::HttpClientOptions options_;
  std::unique_ptr<net::HttpClient> client_;
  std::optional<HttpAnswer> reply_;
  std::binary_semaphore ended_{0};
};

}  // namespace

base::Result<int> probe_http(const plan::EndpointInfo& endpoint, const std::string& root) {
  MR_TRY(std::unique_ptr<loop::EventLoop> loop, loop::EventLoop::create("probe"));
  HttpProbe probe(*loop, http_options_of(endpoint, root));
  const HttpAnswer reply = probe.run();
  loop->stop();
  if (!reply) return std::unexpected(reply.error());
  return reply->status;
}

}  // namespace millrace::stores
