#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics/metric_binding.h"
#include "base/metrics/metric_cell.h"
#include "base/random.h"
#include "base/result.h"
#include "base/sync/atomics.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "net/stream.h"
#include "rows/row_scratch.h"
#include "stores/redis/cluster/cluster_router.h"
#include "stores/redis/connection_cells.h"
#include "stores/redis/fetch.h"
#include "stores/redis/fetch_wait.h"
#include "stores/redis/inflight_table.h"
#include "stores/redis/redis_pool.h"
#include "stores/redis/redis_settings.h"
#include "stores/redis/reply_cache.h"
#include "stores/store_client.h"

namespace millrace::stores {

/// What a client saved.
struct SharingCounters {
  std::uint64_t keys_shared = 0;  ///< already asked for by the same batch or one in flight
  std::uint64_t keys_cached = 0;
};

/// The same as cells, with the batches among which it was saved: the loop thread writes them, any
/// thread reads them.
struct alignas(base::kApartBytes) SharingCells {
  base::CounterCell batches;
  base::CounterCell keys_shared;
  base::CounterCell keys_cached;
};

/// A store on one Redis server, or on a cluster. A batch is one pipelined write to each node,
/// whatever its number of keys; keys that are on their way already, for this batch or another, are
/// not asked for again.
/// Threading: loop thread, but for `counters` and `sharing`; destroyed on the loop thread.
/// Lifetime: borrows the loop and the connector.
class RedisClient final : public StoreClient, private FetchHost, private PoolListener {
 public:
  RedisClient(loop::Loop& loop,
              net::Connector& connector,
              RedisSettings settings,
              std::uint64_t random_seed);
  ~RedisClient() override;

  [[nodiscard]] loop::Task<base::Result<StoreReply>> execute(CommandBatch batch,
                                                             CallOptions options) override;
  [[nodiscard]] StoreCounters counters() const override;
  /// Threading: any thread.
  [[nodiscard]] SharingCounters sharing() const {
    return {.keys_shared = sharing_cells_.keys_shared.value(),
            .keys_cached = sharing_cells_.keys_cached.value()};
  }
  void bind_metrics(base::MetricBinding& binding, std::string_view endpoint) const override;
  /// The connections, unless it is a cluster.
  [[nodiscard]] RedisPool& pool() { return *pool_; }
  /// The nodes, if it is one.
  [[nodiscard]] ClusterRouter& cluster() { return *cluster_; }
  [[nodiscard]] const ReplyCache& cache() const { return cache_; }

 private:
  struct KnownShape {
    BatchShape shape;
    std::vector<std::string> fields;
  };

  void on_fetched(Fetch& fetch) override;
  void on_unwanted(Fetch& fetch) override;
  [[nodiscard]] base::Status send(RedisCall& call) override {
    return cluster_ ? cluster_->submit(call) : pool_->submit(call);
  }
  void withdraw(RedisCall& call) override {
    return cluster_ ? cluster_->withdraw(call) : pool_->withdraw(call);
  }
  void on_invalidated(std::optional<std::vector<std::string>> keys) override;

  /// Collects the parts that the wait needs and sends a fetch for the keys that are not in flight.
  [[nodiscard]] base::Status prepare(CommandBatch batch, FetchWait& wait);
  /// Uses cached replies and fetches in flight for as many keys as possible; false if they cover
  /// all keys.
  [[nodiscard]] bool share_keys(Fetch& fetch, FetchWait& wait);
  [[nodiscard]] std::uint32_t id_of(const Fetch& fetch);
  void forget(Fetch& fetch);

  loop::Loop& loop_;
  const RedisSettings settings_;
  base::SplitMix64 random_;
  rows::RowScratch scratch_;
  DeadlineList deadlines_;
  InflightTable inflight_;
  ReplyCache cache_;
  // The shapes of all batches so far; an index is a shape's id. At most one per fetch of the plans.
  std::vector<KnownShape> shapes_;
  std::uint64_t invalidation_count_ = 0;
  SharingCells sharing_cells_;
  ConnectionCells connection_cells_;
  // Exactly one is set. Declared last so that they are destroyed before the members their callbacks
  // use.
  std::optional<RedisPool> pool_;
  std::optional<ClusterRouter> cluster_;
};

}  // namespace millrace::stores
