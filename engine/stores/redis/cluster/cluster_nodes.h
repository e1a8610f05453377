#pragma once

#include <memory>
#include <vector>

#include "net/address.h"
#include "stores/redis/redis_connection.h"
#include "stores/redis/redis_pool.h"
#include "stores/redis/redis_settings.h"

namespace millrace::stores {

/// The pools of a cluster's nodes, made when they are first asked for.
/// Threading: loop thread. Lifetime: borrows the services and the listener.
class ClusterNodes {
 public:
  /// `settings` are used for every node, with the node's own address.
  ClusterNodes(RedisConnection::Services services, PoolSettings settings, PoolListener* listener)
      : services_(services), settings_(std::move(settings)), listener_(listener) {}

  [[nodiscard]] RedisPool& at(const net::Address& node);
  [[nodiscard]] const std::vector<std::unique_ptr<RedisPool>>& pools() const { return pools_; }
  /// Destroys a pool that has no calls under way. Must not be called from a callback of that pool.
  void drop(const RedisPool& pool);

 private:
  RedisConnection::Services services_;
  const PoolSettings settings_;
  PoolListener* const listener_;
  std::vector<std::unique_ptr<RedisPool>> pools_;
};

}  // namespace millrace::stores
