#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/owned_timer.h"
#include "net/address.h"
#include "stores/redis/cluster/cluster_nodes.h"
#include "stores/redis/cluster/slot_map.h"
#include "stores/redis/protocol/resp_value.h"
#include "stores/redis/redis_call.h"
#include "stores/redis/redis_pool.h"

namespace millrace::stores {

class ClusterMapOwner {
 public:
  virtual ~ClusterMapOwner() = default;
  virtual void on_map(SlotMap map) = 0;
  /// No node gave a map; the error is that of the last.
  virtual void on_no_map(const base::Error& error) = 0;
};

/// Reads the map of slots from one node after another, until one gives it.
/// Threading: loop thread. Lifetime: borrows loop, nodes and owner.
class ClusterMapReader {
 public:
  /// A node that has not answered after `patience` is passed over.
  ClusterMapReader(loop::Loop& loop,
                   ClusterNodes& nodes,
                   ClusterMapOwner& owner,
                   base::Duration patience)
      : nodes_(nodes), owner_(owner), patience_(patience), call_(*this), timer_(loop, *this) {}
  ~ClusterMapReader() { stop_asking(); }
  ClusterMapReader(const ClusterMapReader&) = delete;
  ClusterMapReader& operator=(const ClusterMapReader&) = delete;

  /// Asks these nodes in order; the owner is never told inside. Not while it is reading.
  void start(std::vector<net::Address> nodes);
  [[nodiscard]] bool is_reading() const { return is_reading_; }

 private:
  class SlotsCall final : public RedisCall {
   public:
    explicit SlotsCall(ClusterMapReader& reader) : RedisCall(1), reader_(reader) {}
    void encode(CommandWriter& out) override { out.command({"CLUSTER", "SLOTS"}); }
    void keep(const std::shared_ptr<char[]>&) override {}
    void on_done(base::Status status) override { reader_.on_done(status); }
    void on_text(std::string_view text) override { tree.on_text(text); }
    void on_token(const RespToken& token) override { tree.on_token(token); }
    void on_reply_end() override { tree.on_reply_end(); }

    RespTreeSink tree;

   private:
    ClusterMapReader& reader_;
  };

  void ask_next();
  void stop_asking();
  void on_timer();
  void on_done(const base::Status& status);
  [[nodiscard]] base::Result<SlotMap> read_reply(const base::Status& status);

  ClusterNodes& nodes_;
  ClusterMapOwner& owner_;
  const base::Duration patience_;
  bool is_reading_ = false;
  std::vector<net::Address> candidates_;
  std::size_t next_ = 0;
  RedisPool* asked_ = nullptr;  // while a call is under way
  std::optional<base::Error> error_;
  SlotsCall call_;
  loop::OwnedTimer<ClusterMapReader, &ClusterMapReader::on_timer> timer_;
};

}  // namespace millrace::stores
