#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "net/breaker.h"
#include "stores/redis/protocol/command_writer.h"
#include "stores/redis/protocol/reply_sink.h"

namespace millrace::stores {

class RedisConnection;

/// Commands that leave together and get their replies in order: derive from it.
///
/// As a sink it is given the replies; `on_done` comes when the last one has ended, or with the
/// error that ended the call before. Nothing comes after that, nor after
/// `RedisPool::withdraw`.
/// Threading: loop thread. Lifetime: lives until it is done or withdrawn.
class RedisCall : public ReplySink {
 public:
  explicit RedisCall(std::uint32_t command_count) : command_count_(command_count) {}
  RedisCall(const RedisCall&) = delete;
  RedisCall& operator=(const RedisCall&) = delete;

  /// Appends the commands, exactly `command_count` of them.
  virtual void encode(CommandWriter& out) = 0;
  /// Gives the memory block that holds the texts delivered since the last `keep`. A call that keeps
  /// views of them must keep the block alive.
  virtual void keep(const std::shared_ptr<char[]>& block) = 0;
  virtual void on_done(base::Status status) = 0;

  [[nodiscard]] std::uint32_t command_count() const { return command_count_; }
  /// True from `submit` until it is done or withdrawn.
  [[nodiscard]] bool is_under_way() const { return stage_ != Stage::kIdle; }

  /// A call whose connection this one should not take, if there is another.
  const RedisCall* avoids = nullptr;

 protected:
  void set_command_count(std::uint32_t count) { command_count_ = count; }

 private:
  friend class ClusterRouter;
  friend class CallQueue;
  friend class RedisConnection;
  friend class RedisPool;
  enum class Stage : std::uint8_t { kIdle, kQueued, kSent, kFinishing };

  std::uint32_t command_count_;
  Stage stage_ = Stage::kIdle;
  RedisConnection* connection_ = nullptr;  // the one it was sent on
  std::uint64_t place_ =
      0;                   // number of the entry in the queue or connection, or among the finished
  std::uint64_t tag_ = 0;  // of the queue
  base::TimePoint expires_{};
  std::optional<net::Breaker::Ticket> ticket_;  // while it is under way
};

}  // namespace millrace::stores
