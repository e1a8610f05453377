#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "net/address.h"
#include "stores/redis/backoff.h"
#include "stores/redis/cluster/cluster_part.h"
#include "stores/redis/cluster/cluster_redirect.h"
#include "stores/redis/cluster/cluster_split.h"
#include "stores/redis/protocol/resp_token.h"
#include "stores/redis/redis_call.h"
#include "stores/redis/redis_pool.h"

namespace millrace::stores {

class ClusterBatch;

/// What a batch needs of the cluster.
class ClusterHost {
 public:
  virtual ~ClusterHost() = default;
  /// Gives the node that has a slot; nullptr if nobody knows.
  [[nodiscard]] virtual const net::Address* find_owner(std::uint16_t slot) const = 0;
  [[nodiscard]] virtual RedisPool& pool_of(const net::Address& node) = 0;
  /// A node said who has a slot.
  virtual void on_moved(std::uint16_t slot, const net::Address& node) = 0;
  /// A reply contradicts the map of slots, or a node cannot be reached.
  virtual void on_map_doubted() = 0;
  /// Whether the map is being read.
  [[nodiscard]] virtual bool is_reading_map() const = 0;
  /// Makes sure that `proceed` is called at this time at the latest.
  virtual void wake_at(base::TimePoint when) = 0;
  [[nodiscard]] virtual base::TimePoint now() const = 0;
  /// The batch has ended. The callee destroys it.
  virtual void on_batch_done(ClusterBatch& batch, base::Status status) = 0;
};

/// A call on its way through a cluster: split by nodes, sent again where nodes say so, put together
/// in the order of its commands.
///
///   unsent ── part to the owner ──► sent ── reply ──────────────────────────► answered
///     ▲                              │── MOVED, ASK: at once ──► unsent          ▲
///     │                              │── TRYAGAIN, CLUSTERDOWN ──► delayed       │ no time left
///     ├────────────── later ─────────┼──────────────────────────────┘────────────┤
///     └── the map names another ◄── lost (node gone) ── it names the same ───────┘
///
/// Threading: loop thread. Lifetime: borrows host, call and random.
class ClusterBatch final : private ClusterPartOwner {
 public:
  /// How often a command is sent to another node because a node or the map says so.
  static constexpr std::uint32_t kRedirectsMax = 5;

  ClusterBatch(ClusterHost& host, RedisCall& call, base::TimePoint expires, base::Random& random);

  [[nodiscard]] RedisCall& call() { return call_; }
  [[nodiscard]] base::TimePoint expires() const { return expires_; }
  /// When `proceed` has to be called next, if at a time at all.
  [[nodiscard]] std::optional<base::TimePoint> wakes_at() const {
    if (!retry_at_ || !settle_at_) return retry_at_ ? retry_at_ : settle_at_;
    return std::min(*retry_at_, *settle_at_);
  }
  [[nodiscard]] bool is_due(base::TimePoint now) const {
    const auto when = wakes_at();
    return when && *when <= now;
  }
  /// Whether any of its commands was sent to this pool.
  [[nodiscard]] bool uses(const RedisPool& pool) const;

  /// Sends what is unsent; never ends the batch.
  void route();
  /// Does what is due, and ends the batch if that was all.
  void proceed();

 private:
  enum class State : std::uint8_t { kUnsent, kSent, kDelayed, kLost, kAnswered };
  struct Piece {
    State state = State::kUnsent;
    std::uint32_t redirects = 0;
    std::optional<net::Address> ask = {};  // where to send it next, behind ASKING
    const ClusterPart* part = nullptr;     // that brought the reply
    std::size_t reply = 0;                 // in the part
    const RespToken* failure = nullptr;    // an error instead of a reply
    const net::Address* tried = nullptr;   // kLost: the node that is gone
  };

  void on_part_done(ClusterPart& part, base::Status status) override;
  /// Looks at the reply to a piece.
  void judge(Piece& piece);
  void follow(Piece& piece, const ClusterRedirect& redirect);
  void send_again(Piece& piece);
  void lose(const ClusterPart& part, const base::Error& reason);
  void settle_lost();
  /// The part of this round for a node; parts of earlier rounds stand before `first`.
  [[nodiscard]] ClusterPart& part_for(const net::Address& node, bool asking, std::size_t first);
  [[nodiscard]] std::size_t& count(State state) { return counts_[static_cast<std::size_t>(state)]; }
  void move(Piece& piece, State state);
  /// Gives all replies to the call.
  void give();
  void give_multi_get();
  /// The reply of a piece begins with it if it is an error; nullptr else.
  [[nodiscard]] const RespToken* find_error(const Piece& piece) const;

  ClusterHost& host_;
  RedisCall& call_;
  const base::TimePoint expires_;
  const SplitCall split_;
  Backoff backoff_;
  std::vector<Piece> pieces_;
  std::vector<std::unique_ptr<ClusterPart>> parts_;
  struct Failure {
    std::string text;
    RespToken token;  // a view of the text
  };
  [[nodiscard]] const RespToken* note_failure(std::string text);

  std::deque<Failure> failures_;  // never move
  std::array<std::size_t, 5> counts_{};
  std::optional<base::TimePoint> retry_at_;   // what is delayed
  std::optional<base::TimePoint> settle_at_;  // what is lost
};

}  // namespace millrace::stores
