#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "stores/redis/cluster/cluster_split.h"
#include "stores/redis/protocol/command_writer.h"
#include "stores/redis/protocol/resp_token.h"
#include "stores/redis/redis_call.h"
#include "stores/redis/redis_pool.h"

namespace millrace::stores {

class ClusterPart;

class ClusterPartOwner {
 public:
  virtual ~ClusterPartOwner() = default;
  /// The part may be destroyed inside.
  virtual void on_part_done(ClusterPart& part, base::Status status) = 0;
};

/// The pieces of a call that go to one node. Keeps the replies until those of all nodes have come,
/// because the call receives them in the order of its keys.
/// Threading: loop thread.
/// Lifetime: borrows the owner, the pool and the split call.
class ClusterPart final : public RedisCall {
 public:
  /// `asking`: ASKING stands before each command.
  ClusterPart(ClusterPartOwner& owner, RedisPool& pool, const SplitCall& split, bool asking)
      : RedisCall(0), owner_(owner), pool_(pool), split_(split), asking_(asking) {}
  ~ClusterPart() override { pool_.withdraw(*this); }

  /// Adds a piece; before `submit`.
  void add(std::uint32_t piece);
  [[nodiscard]] base::Status submit() { return pool_.submit(*this); }

  [[nodiscard]] const RedisPool& pool() const { return pool_; }
  [[nodiscard]] bool is_asking() const { return asking_; }
  [[nodiscard]] std::span<const std::uint32_t> pieces() const { return pieces_; }
  /// The reply to a piece, by its place in `pieces`. Once it is done.
  [[nodiscard]] std::span<const RespToken> reply(std::size_t index) const;
  /// The memory that the replies lie in.
  [[nodiscard]] const std::vector<std::shared_ptr<char[]>>& blocks() const { return blocks_; }

  void encode(CommandWriter& out) override;
  void keep(const std::shared_ptr<char[]>& block) override;
  void on_done(base::Status status) override { owner_.on_part_done(*this, std::move(status)); }
  void on_text(std::string_view text) override;
  void on_token(const RespToken& token) override { tokens_.push_back(token); }
  void on_reply_end() override { ends_.push_back(tokens_.size()); }

 private:
  ClusterPartOwner& owner_;
  RedisPool& pool_;
  const SplitCall& split_;
  const bool asking_;
  std::vector<std::uint32_t> pieces_;
  std::vector<RespToken> tokens_;
  std::vector<std::size_t> ends_;  // of replies
  // Owners: this, the connection, and later the reply.
  std::vector<std::shared_ptr<char[]>> blocks_;
};

/// Gives a reply to a sink as if it were read now, without its end.
void replay(std::span<const RespToken> tokens, ReplySink& sink);

}  // namespace millrace::stores
