#include "stores/redis/redis_probe.h"

#include <expected>
#include <memory>
#include <optional>
#include <semaphore>
#include <utility>

#include "base/error.h"
#include "loop/event_loop.h"
#include "loop/task.h"
#include "net/uv_connector.h"
#include "rows/row_scratch.h"
#include "stores/key_list.h"
#include "stores/redis/redis_client.h"
#include "stores/redis/redis_endpoint.h"

namespace millrace::stores {
namespace {

using Reply = base::Result<StoreReply>;

/// Runs one read on a loop and ends the client there.
class Probe final : public loop::Job, public loop::Completion<Reply> {
 public:
  Probe(loop::EventLoop& loop, RedisSettings settings)
      : Job(&begin),
        Completion(&end),
        loop_(loop),
        connector_(loop),
        settings_(std::move(settings)) {}

  [[nodiscard]] Reply run() {
    loop_.post(*this);
    ended_.acquire();
    return *std::move(reply_);
  }

 private:
  static void begin(Job& job) {
    auto& self = static_cast<Probe&>(job);
    if (self.reply_) {
      self.client_.reset();
      return self.ended_.release();
    }
    self.client_ =
        std::make_unique<RedisClient>(self.loop_, self.connector_, std::move(self.settings_), 1);
    KeyListBuilder keys(self.scratch_, "", "", 1);
    keys.add("millrace:doctor");
    loop::start<Reply>(
        self.loop_,
        self.client_->execute({.command = StoreCommand::kGet, .keys = keys.finish()}, {}),
        self);
  }
  static void end(Completion& completion, Reply reply) {
    auto& self = static_cast<Probe&>(completion);
    self.reply_ = std::move(reply);
    // The client is still busy with this reply: it goes in a turn of its own.
    self.loop_.post(self);
  }

  loop::EventLoop& loop_;
  net::UvConnector connector_;
  RedisSettings settings_;
  rows::RowScratch scratch_;
  std::unique_ptr<RedisClient> client_;
  std::optional<Reply> reply_;
  std::binary_semaphore ended_{0};
};

}  // namespace

base::Result<base::Duration> probe_redis(const plan::EndpointInfo& endpoint,
                                         const std::string& root) {
  MR_TRY(RedisSettings settings, redis_settings_of(endpoint, root));
  MR_TRY(std::unique_ptr<loop::EventLoop> loop, loop::EventLoop::create("probe"));
  const base::TimePoint begin = base::steady_clock().now();
  Probe probe(*loop, std::move(settings));
  Reply reply = probe.run();
  loop->stop();
  if (!reply) return std::unexpected(std::move(reply).error());
  return base::steady_clock().now() - begin;
}

}  // namespace millrace::stores
