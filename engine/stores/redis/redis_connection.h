#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "loop/loop.h"
#include "loop/owned_job.h"
#include "loop/owned_timer.h"
#include "net/stream.h"
#include "stores/redis/backoff.h"
#include "stores/redis/connection_cells.h"
#include "stores/redis/protocol/greeting.h"
#include "stores/redis/protocol/receive_buffer.h"
#include "stores/redis/protocol/resp_reader.h"
#include "stores/redis/protocol/resp_value.h"
#include "stores/redis/redis_call.h"
#include "stores/redis/redis_settings.h"

namespace millrace::stores {

/// What a connection tells its pool. Calls that have ended are told by `on_finished` while the
/// connection still reads; the pool tells the calls themselves later.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  /// The server has answered the greeting: calls may be sent.
  virtual void on_up(RedisConnection& connection) = 0;
  /// The connection is gone, or could not be made; it tries again by itself. `was_up`: calls could
  /// be sent on it; those that were under way end after this.
  virtual void on_down(RedisConnection& connection, const base::Error& reason, bool was_up) = 0;
  virtual void on_finished(RedisCall& call, base::Status status) = 0;
  /// Replies have left the connection, whoever they were for.
  virtual void on_replies(std::uint32_t count) = 0;
  virtual void on_push(RedisConnection& connection, RespValue push) = 0;
  /// A read is over: the time to tell calls, and to send more.
  virtual void on_read_end() = 0;
};

/// One connection to a server. All commands given to it in one turn of the loop leave in one write;
/// replies are matched to them in order. Reconnects by itself, with growing waits.
///
///   down ── connect ──► greeting ── answered ──► up
///     ▲                    │                      │
///     └──── backoff ◄──────┴──────────────────────┘  refused, closed, broken, stalled
///
/// Threading: loop thread.
/// Lifetime: borrows the services, owner and settings.
class RedisConnection final : private net::StreamListener {
 public:
  struct Services {
    loop::Loop& loop;
    net::Connector& connector;
    base::Random& random;
    ConnectionCells& cells;  ///< shared by all connections of a client
  };

  RedisConnection(Services services, const PoolSettings& settings, ConnectionOwner& owner);
  ~RedisConnection() override;
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  /// Connects, if it is down and not about to.
  void open();
  [[nodiscard]] bool is_up() const { return state_ == State::kUp; }
  /// Whether an attempt to connect is under way that is not known to fail.
  [[nodiscard]] bool is_hopeful() const {
    return state_ == State::kGreeting || (state_ == State::kDown && attempts_failed_ == 0);
  }
  /// Commands whose replies are still to come, those of withdrawn calls included.
  [[nodiscard]] std::uint32_t commands_in_flight() const { return commands_in_flight_; }
  /// Whether commands wait for the end of the turn.
  [[nodiscard]] bool has_unflushed() const { return !out_.empty(); }
  [[nodiscard]] std::size_t unsent_bytes() const {
    return out_.size() + (stream_ != nullptr ? stream_->unsent_bytes() : 0);
  }
  /// Which protocol is spoken, 2 or 3.
  [[nodiscard]] std::uint32_t protocol() const { return greeting_.protocol(); }
  /// Whether the server sends invalidations.
  [[nodiscard]] bool tracks() const { return greeting_.tracks(); }
  /// Whether it was lost, or could not be made, since it was last up.
  [[nodiscard]] bool has_failed() const { return has_failed_; }

  /// Sends a call at the end of the turn; the connection must be up.
  void send(RedisCall& call, base::TimePoint now);
  /// Drops the replies of a call that was sent.
  void withdraw(RedisCall& call);
  /// When the connection counts as dead if nothing arrives: `silence` after the last bytes or the
  /// oldest unanswered call, whichever is later. Nothing if no reply is expected.
  [[nodiscard]] std::optional<base::TimePoint> stalls_at(base::Duration silence) const;
  /// Gives it up: ends its calls with `reason`, and connects anew.
  void give_up(const base::Error& reason);

  template <class Visit>
  void for_each_call(Visit visit) const {
    for (const Sent& sent : in_flight_) {
      if (sent.call != nullptr) visit(*sent.call);
    }
  }

 private:
  enum class State : std::uint8_t { kIdle, kGreeting, kUp, kDown };
  struct Sent {
    RedisCall* call = nullptr;  // nullptr once withdrawn
    std::uint32_t left = 0;     // replies
    base::TimePoint at{};
  };
  /// Discards the replies of withdrawn calls.
  class DiscardSink final : public ReplySink {
    void on_text(std::string_view) override {}
    void on_token(const RespToken&) override {}
    void on_reply_end() override {}
  };

  void on_connected() override;
  std::span<char> read_space() override;
  void on_read(std::size_t size) override;
  void on_input_end() override;
  void on_closed(const base::Status& status) override;

  void connect();
  void flush();
  void on_timer();
  void greet(RespValue reply);
  /// Reads what has arrived; an error when the bytes make no sense.
  [[nodiscard]] base::Status read_replies();
  [[nodiscard]] base::Status read_greeting();
  void end_reply();

  Services services_;
  const PoolSettings& settings_;
  ConnectionOwner& owner_;
  State state_ = State::kIdle;
  std::unique_ptr<net::Stream> stream_;
  Greeting greeting_;
  Backoff backoff_;
  std::uint32_t attempts_failed_ = 0;  // since it was last up
  bool has_failed_ = false;
  RespReader reader_;
  ReceiveBuffer received_;
  RespTreeSink trees_;
  RespTreeSink pushes_;
  DiscardSink discard_;
  std::string out_;
  std::deque<Sent> in_flight_;
  std::uint64_t first_place_ = 0;  // number of the oldest entry in flight
  std::uint32_t commands_in_flight_ = 0;
  base::TimePoint last_received_{};
  loop::OwnedJob<RedisConnection, &RedisConnection::flush> flush_job_;
  // Waits for the greeting, or for the next attempt to connect.
  loop::OwnedTimer<RedisConnection, &RedisConnection::on_timer> timer_;
};

}  // namespace millrace::stores
