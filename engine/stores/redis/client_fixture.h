#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loop/loop_fixture.h"
#include "stores/redis/redis_client.h"
#include "stores/redis/redis_fixture.h"
#include "stores/store_client.h"
#include "stores/store_fixture.h"

namespace millrace::stores::testing {

/// A batch that was started.
using StartedBatch = loop::Outcome<base::Result<StoreReply>>;

/// A client of the scripted server.
struct ClientRig : RedisRig {
  explicit ClientRig(RedisSettings settings = client_settings()) {
    client.emplace(loop, connector, std::move(settings), 1);
  }

  [[nodiscard]] static RedisSettings client_settings() {
    RedisSettings settings;
    settings.pool = pool_settings();
    return settings;
  }

  /// Starts a batch of LRANGE for ids.
  std::unique_ptr<StartedBatch> ids(std::initializer_list<std::string_view> keys,
                                    CallOptions options = {}) {
    return run({.command = StoreCommand::kListRange,
                .keys = make_keys(keys, scratch),
                .count = 10,
                .form = ValueForm::kInt64},
               options);
  }
  std::unique_ptr<StartedBatch> get(std::initializer_list<std::string_view> keys,
                                    CallOptions options = {}) {
    return run({.command = StoreCommand::kGet, .keys = make_keys(keys, scratch)}, options);
  }
  std::unique_ptr<StartedBatch> run(CommandBatch batch, CallOptions options = {}) {
    auto outcome = std::make_unique<StartedBatch>();
    loop::start(loop, client->execute(std::move(batch), options), *outcome);
    return outcome;
  }
  /// What became of it: values of all keys, or the code and message of the error.
  static std::string shown(const std::unique_ptr<StartedBatch>& batch) {
    if (!batch->is_done()) return "waits";
    const auto& reply = batch->value();
    if (!reply) return reply.error().to_string();
    std::string out;
    for (std::size_t key = 0; key < reply->ends.size(); ++key) {
      out += "[";
      for (std::size_t i = reply->begin_of(key); i < reply->ends[key]; ++i) {
        if (i != reply->begin_of(key)) out += " ";
        if (!reply->integers.empty()) {
          out += std::to_string(reply->integers[i]);
        } else {
          out += is_null(reply->texts[i]) ? "null" : std::string(reply->texts[i]);
        }
      }
      out += "]";
    }
    return out;
  }

  rows::RowScratch scratch;
  std::optional<RedisClient> client;
};

}  // namespace millrace::stores::testing
