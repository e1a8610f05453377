#include "stores/redis/cluster/cluster_nodes.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "net/address.h"
#include "stores/redis/redis_pool.h"
#include "stores/redis/redis_settings.h"

namespace millrace::stores {

RedisPool& ClusterNodes::at(const net::Address& node) {
  for (const auto& pool : pools_) {
    if (pool->settings().address == node) return *pool;
  }
  PoolSettings settings = settings_;
  settings.address = node;
  pools_.push_back(std::make_unique<RedisPool>(services_, std::move(settings), listener_));
  return *pools_.back();
}

void ClusterNodes::drop(const RedisPool& pool) {
  std::erase_if(pools_, [&](const auto& other) { return other.get() == &pool; });
  // Invalidations of this node will not come any more: treat all keys as changed.
  if (listener_ != nullptr) listener_->on_invalidated(std::nullopt);
}

}  // namespace millrace::stores
