#include "stores/redis/redis_pool.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log/log.h"
#include "base/log/log_record.h"
#include "base/result.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "net/address.h"
#include "net/breaker.h"
#include "stores/redis/call_queue.h"
#include "stores/redis/protocol/resp_value.h"
#include "stores/redis/redis_call.h"
#include "stores/redis/redis_connection.h"

namespace millrace::stores {

using base::ErrorCode;
using base::fail;

namespace {

/// All commands of a turn go to one connection, and leave in one write, up to this many bytes.
constexpr std::size_t kTurnBytesMax = std::size_t{256} << 10U;

}  // namespace

RedisPool::RedisPool(RedisConnection::Services services,
                     PoolSettings settings,
                     PoolListener* listener)
    : services_(services),
      settings_(std::move(settings)),
      listener_(listener),
      breaker_report_(settings_.log,
                      services.cells.breakers_open,
                      {.endpoint = settings_.endpoint, .address = to_string(settings_.address)}),
      breaker_(settings_.breaker, services.loop.clock(), services.random, &breaker_report_),
      tell_job_(services.loop, *this),
      timer_(services.loop, *this) {
  for (std::uint32_t i = 0; i < settings_.connections; ++i) {
    connections_.push_back(std::make_unique<RedisConnection>(
        services_, settings_, static_cast<ConnectionOwner&>(*this)));
  }
}

RedisPool::~RedisPool() { MR_CHECK(queue_.empty()); }

void RedisPool::open() {
  for (const auto& connection : connections_) connection->open();
}

base::Status RedisPool::submit(RedisCall& call) {
  MR_CHECK(call.stage_ == RedisCall::Stage::kIdle);
  open();
  const base::TimePoint now = services_.loop.clock().now();
  if (!is_reachable()) {
    services_.cells.refused.add();
    return std::unexpected(*last_failure_);
  }
  call.ticket_ = breaker_.try_begin();
  if (!call.ticket_) {
    services_.cells.refused.add();
    return fail(
        ErrorCode::kUnavailable,
        "The store keeps failing; calls are refused for a while: " + to_string(settings_.address));
  }
  call.expires_ = now + settings_.request_timeout;
  call.stage_ = RedisCall::Stage::kQueued;
  queue_.push(call);
  arm(call.expires_);
  if (!is_telling_) pump();
  return {};
}

void RedisPool::withdraw(RedisCall& call) {
  switch (call.stage_) {
    case RedisCall::Stage::kIdle:
      return;
    case RedisCall::Stage::kQueued:
      queue_.remove(call);
      break;
    case RedisCall::Stage::kSent:
      call.connection_->withdraw(call);
      break;
    case RedisCall::Stage::kFinishing:
      std::get<Finished>(finished_[call.place_ - first_finished_]).call = nullptr;
      break;
  }
  call.stage_ = RedisCall::Stage::kIdle;
  end_ticket(call, net::Breaker::Outcome::kAbandoned);
}

void RedisPool::end_ticket(RedisCall& call, net::Breaker::Outcome outcome) {
  if (call.ticket_) breaker_.end(*std::exchange(call.ticket_, std::nullopt), outcome);
}

bool RedisPool::is_reachable() const {
  return !last_failure_ || std::ranges::any_of(connections_, [](const auto& connection) {
    return connection->is_up() || connection->is_hopeful();
  });
}

RedisConnection* RedisPool::choose(const RedisCall& call) {
  RedisConnection* const avoided = call.avoids != nullptr ? call.avoids->connection_ : nullptr;
  RedisConnection* best = nullptr;
  for (const auto& connection : connections_) {
    if (!connection->is_up()) continue;
    if (connection.get() == avoided) continue;
    // A connection that already has commands of this turn is preferred, then the least busy one.
    if (connection->has_unflushed() && connection->unsent_bytes() < kTurnBytesMax) {
      return connection.get();
    }
    if (best == nullptr || connection->commands_in_flight() < best->commands_in_flight()) {
      best = connection.get();
    }
  }
  return best == nullptr && avoided != nullptr && avoided->is_up() ? avoided : best;
}

void RedisPool::pump() {
  if (queue_.empty()) return;
  const base::TimePoint now = services_.loop.clock().now();
  while (!queue_.empty()) {
    RedisCall& call = queue_.front();
    const std::uint32_t count = call.command_count();
    const bool fits =
        count <= settings_.commands_max - std::min(commands_in_flight_, settings_.commands_max);
    if (commands_in_flight_ != 0 && !fits) return;
    RedisConnection* const connection = choose(call);
    if (connection == nullptr) return;
    queue_.pop_front();
    commands_in_flight_ += count;
    services_.cells.commands.add(count);
    connection->send(call, now);
  }
}

void RedisPool::on_up(RedisConnection& connection) {
  services_.cells.connects.add();
  if (settings_.log != nullptr) {
    // The first connection is what everybody expects; one after a failure is news.
    const bool is_news = connection.has_failed();
    settings_.log->write_limited(
        is_news ? base::LogLevel::kInfo : base::LogLevel::kDebug,
        "redis_connected",
        is_news ? "Redis can be reached again" : "Connected to Redis",
        {{"endpoint", settings_.endpoint}, {"address", to_string(settings_.address)}});
  }
  last_failure_.reset();
  breaker_.note_success();
}

void RedisPool::on_down(RedisConnection& connection, const base::Error& reason, bool was_up) {
  if (was_up) services_.cells.connections_lost.add();
  log_down(reason, was_up);
  if (was_up && connection.tracks() && listener_ != nullptr) {
    // Invalidations may have been lost with the connection: treat all keys as changed.
    finished_.emplace_back(RespValue{.type = RespType::kNull});
  }
  breaker_.note_failure();
  last_failure_ = base::Error(
      ErrorCode::kUnavailable,
      "The store cannot be reached: " + to_string(settings_.address) + ": " + reason.message());
  if (is_reachable()) return;
  while (!queue_.empty()) {
    RedisCall& call = queue_.front();
    queue_.pop_front();
    on_finished(call, std::unexpected(*last_failure_));
  }
}

void RedisPool::log_down(const base::Error& reason, bool was_up) {
  if (settings_.log == nullptr) return;
  settings_.log->warning(
      was_up ? "redis_connection_lost" : "redis_connect_failed",
      was_up ? "A connection to Redis ended; it will be made again" : "Redis cannot be reached",
      {{"endpoint", settings_.endpoint},
       {"address", to_string(settings_.address)},
       {"err", reason.message()}});
}

void RedisPool::on_finished(RedisCall& call, base::Status status) {
  if (!status) services_.cells.failed.add();
  // `note_failure` has counted the lost connection or the timeout once, for all calls it ended; so
  // the single call does not count as a failure again.
  end_ticket(call, status ? net::Breaker::Outcome::kSuccess : net::Breaker::Outcome::kAbandoned);
  call.stage_ = RedisCall::Stage::kFinishing;
  call.place_ = first_finished_ + finished_.size();
  finished_.emplace_back(Finished{.call = &call, .status = std::move(status)});
}

void RedisPool::on_push(RedisConnection&, RespValue push) {
  const bool invalidates = push.elements.size() == 2 && push.elements[0].text == "invalidate";
  if (!invalidates || listener_ == nullptr) return;
  finished_.emplace_back(std::move(push.elements[1]));
}

void RedisPool::on_read_end() {
  if (is_telling_) return;
  if (!tell_job_.is_posted()) tell_finished();
  pump();
}

void RedisPool::tell_finished() {
  is_telling_ = true;
  // A callee may submit and withdraw calls, which can lengthen the list; `is_telling_` keeps it
  // from starting this loop again.
  while (!finished_.empty()) {
    std::variant<Finished, RespValue> event = std::move(finished_.front());
    finished_.pop_front();
    ++first_finished_;
    tell(std::move(event));
    if (finished_.empty() || !services_.loop.has_due_timer()) continue;
    tell_job_.post();
    break;
  }
  is_telling_ = false;
}

void RedisPool::tell(std::variant<Finished, RespValue> event) {
  if (RespValue* const push = std::get_if<RespValue>(&event)) {
    std::optional<std::vector<std::string>> keys;
    if (push->type == RespType::kArray) keys.emplace();
    for (RespValue& key : push->elements) keys->push_back(std::move(key.text));
    return listener_->on_invalidated(std::move(keys));
  }
  auto& finished = std::get<Finished>(event);
  if (finished.call == nullptr) return;
  finished.call->stage_ = RedisCall::Stage::kIdle;
  finished.call->on_done(std::move(finished.status));
}

void RedisPool::arm(base::TimePoint when) {
  if (armed_at_ && *armed_at_ <= when) return;
  armed_at_ = when;
  timer_.start_at(when);
}

void RedisPool::on_expiry() {
  armed_at_.reset();
  const base::TimePoint now = services_.loop.clock().now();
  expire_calls(now);
  for (const auto& connection : connections_) {
    const auto stalls_at = connection->stalls_at(settings_.request_timeout);
    if (!stalls_at || *stalls_at > now) continue;
    connection->give_up(
        base::Error(ErrorCode::kTimeout,
                    "The store has been silent for too long: " + to_string(settings_.address)));
  }
  on_read_end();
  rearm();
}

void RedisPool::expire_calls(base::TimePoint now) {
  std::vector<RedisCall*> expired;
  const auto look = [&](RedisCall& call) {
    if (call.expires_ <= now) expired.push_back(&call);
  };
  queue_.for_each(look);
  for (const auto& connection : connections_) connection->for_each_call(look);
  if (!expired.empty()) breaker_.note_failure();
  for (RedisCall* const call : expired) {
    services_.cells.timeouts.add();
    withdraw(*call);
    on_finished(*call,
                fail(ErrorCode::kTimeout,
                     "The store did not answer in time: " + to_string(settings_.address)));
  }
}

void RedisPool::rearm() {
  std::optional<base::TimePoint> next;
  const auto consider = [&](base::TimePoint when) { next = next ? std::min(*next, when) : when; };
  queue_.for_each([&](const RedisCall& call) { consider(call.expires_); });
  for (const auto& connection : connections_) {
    connection->for_each_call([&](const RedisCall& call) { consider(call.expires_); });
    const auto stalls_at = connection->stalls_at(settings_.request_timeout);
    if (stalls_at) consider(*stalls_at);
  }
  if (next) arm(*next);
}

}  // namespace millrace::stores
