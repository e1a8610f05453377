#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/loop_fixture.h"
#include "net/uv_connector.h"
#include "rows/row_scratch.h"
#include "stores/key_list.h"
#include "stores/redis/redis_client.h"
#include "stores/store_client.h"

namespace millrace::live {

/// A client on its own loop, for tests that wait.
/// Threading: not shared.
class LiveClient {
 public:
  explicit LiveClient(const stores::RedisSettings& settings)
      : loop_(loop::EventLoop::create("live").value()), connector_(*loop_) {
    loop::run_and_wait(*loop_, [&] {
      client_ = std::make_unique<stores::RedisClient>(*loop_, connector_, settings, 1);
    });
  }
  ~LiveClient() {
    loop::run_and_wait(*loop_, [&] {
      last_memory_.reset();
      client_.reset();
    });
    loop_->stop();
  }
  LiveClient(const LiveClient&) = delete;
  LiveClient& operator=(const LiveClient&) = delete;

  /// The reply is valid until the next call.
  base::Result<stores::StoreReply> execute(stores::CommandBatch batch,
                                           stores::CallOptions options = {}) {
    loop::AwaitedOutcome<base::Result<stores::StoreReply>> outcome;
    loop::run_and_wait(*loop_, [&] {
      last_memory_.reset();
      loop::start(*loop_, client_->execute(std::move(batch), options), outcome);
    });
    base::Result<stores::StoreReply> reply =
        std::move(const_cast<base::Result<stores::StoreReply>&>(outcome.wait()));
    if (reply) last_memory_ = reply->memory;
    return reply;
  }
  /// One value per key and line: `key: a b null`, or the error.
  std::string shown(stores::CommandBatch batch) {
    const std::size_t count = batch.keys.size();
    const auto reply = execute(std::move(batch));
    if (!reply) return reply.error().to_string();
    std::string out;
    for (std::size_t key = 0; key < count; ++key) {
      out += key == 0 ? "" : " | ";
      for (std::size_t i = reply->begin_of(key); i < reply->ends[key]; ++i) {
        if (i != reply->begin_of(key)) out += ' ';
        if (!reply->integers.empty()) {
          out += std::to_string(reply->integers[i]);
          if (!reply->scores.empty()) out += base::format("={}", reply->scores[i]);
        } else {
          out += stores::is_null(reply->texts[i]) ? "null" : std::string(reply->texts[i]);
        }
      }
    }
    return out;
  }
  stores::KeyList keys(std::initializer_list<std::string_view> texts) {
    stores::KeyListBuilder builder(scratch_, "", "", texts.size());
    for (const std::string_view text : texts) builder.add(text);
    return builder.finish();
  }
  loop::EventLoop& loop() { return *loop_; }
  /// Calls `question` with the client, on the loop to which the client belongs.
  template <typename Question>
  auto ask(Question&& question) {
    std::optional<decltype(question(*client_))> answer;
    loop::run_and_wait(*loop_, [&] { answer = question(*client_); });
    return *answer;
  }
  rows::RowScratch& scratch() { return scratch_; }

 private:
  std::unique_ptr<loop::EventLoop> loop_;
  net::UvConnector connector_;
  rows::RowScratch scratch_;
  std::unique_ptr<stores::RedisClient> client_;
  // Memory of the last reply. Owners: the reply and this pointer, which is released last, on the
  // loop: the client reuses memory that no reply holds, and checks that on its own thread only.
  std::shared_ptr<const void> last_memory_;
};

}  // namespace millrace::live
