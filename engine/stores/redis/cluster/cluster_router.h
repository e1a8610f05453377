#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/log/log.h"
#include "base/metrics/metric_cell.h"
#include "base/result.h"
#include "loop/owned_timer.h"
#include "net/address.h"
#include "stores/redis/cluster/cluster_batch.h"
#include "stores/redis/cluster/cluster_map_reader.h"
#include "stores/redis/cluster/cluster_nodes.h"
#include "stores/redis/cluster/slot_map.h"
#include "stores/redis/redis_call.h"
#include "stores/redis/redis_connection.h"
#include "stores/redis/redis_pool.h"
#include "stores/redis/redis_settings.h"

namespace millrace::stores {

/// Does for a cluster what `RedisPool` does for one server: takes calls, sends their commands to
/// the nodes that have the keys, and gives the replies in order.
///
/// The map of slots is read from the node that the settings name, later from any that is known:
/// at first, when a node says MOVED or CLUSTERDOWN, and when one cannot be reached; but not again
/// within `kMapReadsEvery`. Pools of nodes that have no slots any more are dropped.
///
/// All commands must be reads: one whose connection was lost may be sent twice.
/// Threading: loop thread.
/// Lifetime: borrows services, listener and logger. All calls are done or withdrawn before
/// its end.
class ClusterRouter final : private ClusterHost, private ClusterMapOwner {
 public:
  static constexpr base::Duration kMapReadsEvery = std::chrono::milliseconds(100);

  /// `settings` are those of each node; their address is that of the first one to ask.
  ClusterRouter(RedisConnection::Services services,
                const PoolSettings& settings,
                PoolListener* listener = nullptr);
  ~ClusterRouter() override;
  ClusterRouter(const ClusterRouter&) = delete;
  ClusterRouter& operator=(const ClusterRouter&) = delete;

  /// As those of `RedisPool`.
  [[nodiscard]] base::Status submit(RedisCall& call);
  void withdraw(RedisCall& call);

  [[nodiscard]] const ClusterNodes& nodes() const { return nodes_; }
  /// How often nodes were asked for the map. Threading: any thread.
  [[nodiscard]] std::uint64_t map_read_count() const { return map_read_count_.value(); }

 private:
  [[nodiscard]] const net::Address* find_owner(std::uint16_t slot) const override {
    return map_->find_owner(slot);
  }
  [[nodiscard]] RedisPool& pool_of(const net::Address& node) override { return nodes_.at(node); }
  void on_moved(std::uint16_t slot, const net::Address& node) override;
  void on_map_doubted() override;
  [[nodiscard]] bool is_reading_map() const override { return reader_.is_reading(); }
  void wake_at(base::TimePoint when) override;
  [[nodiscard]] base::TimePoint now() const override { return services_.loop.clock().now(); }
  void on_batch_done(ClusterBatch& batch, base::Status status) override;
  void on_map(SlotMap map) override;
  void on_no_map(const base::Error& error) override;

  void read_map();
  void on_timer();
  /// Fails expired batches and resumes batches that are due for a retry; `all` resumes every batch.
  void serve_batches(bool all);
  /// Batches in order of arrival, as numbers: a batch that is resumed may end others.
  [[nodiscard]] std::vector<std::uint64_t> batch_numbers() const;
  void drop_idle_nodes();
  void rearm();

  RedisConnection::Services services_;
  const net::Address seed_;
  const base::Duration request_timeout_;
  const std::string endpoint_;
  base::Logger* const log_;
  ClusterNodes nodes_;
  ClusterMapReader reader_;
  std::optional<SlotMap> map_;
  std::optional<base::Error> failure_;  // why the last attempt to read the map gave none
  bool is_map_doubted_ = false;         // the map must be read again, as soon as that is allowed
  bool may_drop_nodes_ = false;
  base::TimePoint next_map_read_{};
  base::CounterCell map_read_count_;
  // By number, which a call holds in `place_`.
  std::unordered_map<std::uint64_t, std::unique_ptr<ClusterBatch>> batches_;
  std::uint64_t batch_number_ = 0;
  std::optional<base::TimePoint> armed_at_;
  loop::OwnedTimer<ClusterRouter, &ClusterRouter::on_timer> timer_;
};

}  // namespace millrace::stores
