#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/owned_timer.h"
#include "rows/row_scratch.h"
#include "stores/redis/protocol/batch_reply.h"
#include "stores/redis/redis_call.h"
#include "stores/store_client.h"

namespace millrace::stores {

class Fetch;

/// Is told that a fetch has ended.
class FetchWaiter {
 public:
  virtual ~FetchWaiter() = default;
  virtual void on_fetched() = 0;
};

/// Sends the calls of fetches and is told how they end.
class FetchHost {
 public:
  virtual ~FetchHost() = default;
  /// The fetch has its reply or its error. Called before the waiters are told.
  virtual void on_fetched(Fetch& fetch) = 0;
  /// The last waiter has left the fetch.
  virtual void on_unwanted(Fetch& fetch) = 0;
  [[nodiscard]] virtual base::Status send(RedisCall& call) = 0;
  virtual void withdraw(RedisCall& call) = 0;
};

/// One batch that was sent: for the request that issued it, and for requests that wait for the same
/// keys.
/// Threading: loop thread.
/// Lifetime: borrows the host. Owners: the waits (`FetchWait`).
class Fetch final : public std::enable_shared_from_this<Fetch> {
 public:
  /// What a fetch needs of a pool of connections.
  Fetch(FetchHost& host, loop::Loop& loop, CommandBatch batch);
  ~Fetch();
  Fetch(const Fetch&) = delete;
  Fetch& operator=(const Fetch&) = delete;

  [[nodiscard]] const CommandBatch& batch() const { return batch_; }
  [[nodiscard]] const BatchShape& shape() const { return shape_; }
  /// Number of keys that it asks for.
  [[nodiscard]] std::size_t size() const { return keys().size(); }
  [[nodiscard]] KeySelection keys() const { return {.keys = &batch_.keys, .chosen = chosen_}; }
  /// Asks only for these keys of the batch; before `start`.
  void choose(std::vector<std::uint32_t> keys) { chosen_ = std::move(keys); }

  /// Sends it; `hedge_after` later a second time, if that is not 0.
  [[nodiscard]] base::Status start(rows::RowScratch& scratch, base::Duration hedge_after);
  [[nodiscard]] bool is_done() const { return done_; }

  void add_waiter(FetchWaiter& waiter) {
    waiters_.push_back(&waiter);
    ++waiter_count_;
  }
  /// Removes a waiter; when the last one leaves, the fetch is withdrawn.
  void remove_waiter(FetchWaiter& waiter);
  /// Whether there was never more than one waiter, which may then take the reply instead of
  /// copying.
  [[nodiscard]] bool is_unshared() const { return waiter_count_ == 1; }

  // Once it is done:
  /// What became of it as a whole.
  [[nodiscard]] const base::Status& status() const { return status_; }
  [[nodiscard]] const std::vector<KeyError>& errors() const { return errors_; }
  /// The error of one of its keys, or nullptr.
  [[nodiscard]] const base::Error* find_error(std::size_t key) const;
  [[nodiscard]] const StoreReply& reply() const { return reply_; }
  [[nodiscard]] StoreReply take_reply() { return std::move(reply_); }

  // For the host.
  std::uint32_t shape_id = 0;
  std::vector<std::uint64_t> hashes;       // of the keys that it asks for
  std::uint64_t invalidations_before = 0;  // when it was sent

 private:
  /// One attempt; there may be two.
  class Attempt final : public RedisCall {
   public:
    Attempt(Fetch& fetch, rows::RowScratch& scratch, std::uint32_t command_count)
        : RedisCall(command_count), fetch_(fetch), reply_(fetch.shape_, fetch.keys(), scratch) {}

    void encode(CommandWriter& out) override { encode_batch(fetch_.batch_, fetch_.keys(), out); }
    void keep(const std::shared_ptr<char[]>& block) override;
    void on_done(base::Status status) override { fetch_.on_done(*this, std::move(status)); }
    void on_text(std::string_view text) override { reply_.on_text(text); }
    std::size_t take_texts(const char*& cursor, const char* end, std::size_t count) override {
      return reply_.take_texts(cursor, end, count);
    }
    void on_token(const RespToken& token) override { reply_.on_token(token); }
    void on_reply_end() override { reply_.on_reply_end(); }

    [[nodiscard]] BatchReply& reply() { return reply_; }
    /// What keeps the texts.
    [[nodiscard]] std::shared_ptr<const void> take_memory();

   private:
    Fetch& fetch_;
    BatchReply reply_;
    // Owners: this, the connection, and later the reply.
    std::shared_ptr<char[]> block_;
    std::vector<std::shared_ptr<char[]>> more_blocks_;
  };

  void on_done(Attempt& attempt, base::Status status);
  void hedge();
  void tell();

  FetchHost& host_;
  loop::Loop& loop_;
  const CommandBatch batch_;
  const BatchShape shape_;
  std::vector<std::uint32_t> chosen_;
  rows::RowScratch* scratch_ = nullptr;
  std::optional<Attempt> first_;
  std::optional<Attempt> second_;
  std::optional<loop::OwnedTimer<Fetch, &Fetch::hedge>> hedge_timer_;
  std::vector<FetchWaiter*> waiters_;  // nullptr for those that went while they were being told
  std::size_t waiter_count_ = 0;
  bool done_ = false;
  base::Status status_;
  std::vector<KeyError> errors_;
  StoreReply reply_;
};

}  // namespace millrace::stores
