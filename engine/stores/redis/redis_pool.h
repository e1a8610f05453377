#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/result.h"
#include "loop/owned_job.h"
#include "loop/owned_timer.h"
#include "net/breaker.h"
#include "net/breaker_report.h"
#include "net/stream.h"
#include "stores/redis/call_queue.h"
#include "stores/redis/redis_call.h"
#include "stores/redis/redis_connection.h"
#include "stores/redis/redis_settings.h"

namespace millrace::stores {

/// Receives what a server says without being asked: invalidations.
class PoolListener {
 public:
  virtual ~PoolListener() = default;
  /// These keys have changed; all of them if there is no list.
  virtual void on_invalidated(std::optional<std::vector<std::string>> keys) = 0;
};

/// The connections to one server: the layer that sends encoded commands and gives their replies in
/// order. Clients of single servers and of clusters are built on it.
///
/// At most `commands_max` commands are in flight (one call that is larger goes alone); further
/// calls wait in a fair queue. A call ends with kTimeout after `request_timeout`, waiting included;
/// its late replies are dropped in their place. A connection that owes replies and is silent for
/// that long is given up. While nothing can be reached calls are refused at once.
///
/// Many replies may come at once, above all from a server that was stuck. If a timer becomes due
/// while calls are told of their ends, the rest is told after the timer has fired.
///
/// Threading: loop thread.
/// Lifetime: borrows services, listener and logger. All calls are done or withdrawn before its end.
class RedisPool final : private ConnectionOwner {
 public:
  RedisPool(RedisConnection::Services services,
            PoolSettings settings,
            PoolListener* listener = nullptr);
  ~RedisPool() override;
  RedisPool(const RedisPool&) = delete;
  RedisPool& operator=(const RedisPool&) = delete;

  /// Begins to connect. The first `submit` does it too.
  void open();
  /// Takes a call, or says why not. Never calls `on_done` before it returns.
  [[nodiscard]] base::Status submit(RedisCall& call);
  /// Forgets a call that is under way: its `on_done` will not be called.
  void withdraw(RedisCall& call);

  [[nodiscard]] net::Breaker::State breaker_state() const { return breaker_.state(); }
  [[nodiscard]] std::uint32_t commands_in_flight() const { return commands_in_flight_; }
  [[nodiscard]] std::size_t queued() const { return queue_.size(); }
  [[nodiscard]] std::span<const std::unique_ptr<RedisConnection>> connections() const {
    return connections_;
  }
  [[nodiscard]] const PoolSettings& settings() const { return settings_; }

 private:
  struct Finished {
    RedisCall* call = nullptr;  // nullptr once withdrawn
    base::Status status;
  };

  void on_up(RedisConnection& connection) override;
  void on_down(RedisConnection& connection, const base::Error& reason, bool was_up) override;
  void on_finished(RedisCall& call, base::Status status) override;
  void on_replies(std::uint32_t count) override { commands_in_flight_ -= count; }
  void on_push(RedisConnection& connection, RespValue push) override;
  void on_read_end() override;

  /// Sends queued calls while the limit on commands in flight allows it.
  void pump();
  [[nodiscard]] RedisConnection* choose(const RedisCall& call);
  [[nodiscard]] bool is_reachable() const;
  void end_ticket(RedisCall& call, net::Breaker::Outcome outcome);
  void log_down(const base::Error& reason, bool was_up);
  void tell_finished();
  void tell(std::variant<Finished, RespValue> event);
  void on_expiry();
  void expire_calls(base::TimePoint now);
  void arm(base::TimePoint when);
  void rearm();

  RedisConnection::Services services_;
  const PoolSettings settings_;
  PoolListener* const listener_;
  net::BreakerReport breaker_report_;
  net::Breaker breaker_;
  std::vector<std::unique_ptr<RedisConnection>> connections_;
  std::optional<base::Error> last_failure_;
  CallQueue queue_;
  std::uint32_t commands_in_flight_ = 0;
  // Ends of calls and invalidations that are still to be told, in the order in which they arrived.
  std::deque<std::variant<Finished, RespValue>> finished_;
  std::uint64_t first_finished_ = 0;  // number of the oldest entry
  bool is_telling_ = false;
  // Tells the rest in a later turn, when telling all at once would make timers late.
  loop::OwnedJob<RedisPool, &RedisPool::on_read_end> tell_job_;
  std::optional<base::TimePoint> armed_at_;
  loop::OwnedTimer<RedisPool, &RedisPool::on_expiry> timer_;
};

}  // namespace millrace::stores
