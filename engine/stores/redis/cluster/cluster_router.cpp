#include "stores/redis/cluster/cluster_router.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log/log.h"
#include "base/log/log_record.h"
#include "base/result.h"
#include "net/address.h"
#include "stores/redis/cluster/cluster_batch.h"
#include "stores/redis/cluster/slot_map.h"
#include "stores/redis/redis_call.h"
#include "stores/redis/redis_connection.h"
#include "stores/redis/redis_pool.h"
#include "stores/redis/redis_settings.h"

namespace millrace::stores {

namespace {

/// How long a node may take to give the map: time to connect, to greet and to answer.
base::Duration map_patience(const PoolSettings& settings) {
  return std::min(settings.request_timeout, 3 * settings.connect.connect_timeout);
}

}  // namespace

ClusterRouter::ClusterRouter(RedisConnection::Services services,
                             const PoolSettings& settings,
                             PoolListener* listener)
    : services_(services),
      seed_(settings.address),
      request_timeout_(settings.request_timeout),
      endpoint_(settings.endpoint),
      log_(settings.log),
      nodes_(services, settings, listener),
      reader_(services.loop, nodes_, static_cast<ClusterMapOwner&>(*this), map_patience(settings)),
      timer_(services.loop, *this) {}

ClusterRouter::~ClusterRouter() { MR_CHECK(batches_.empty(), batches_.size()); }

base::Status ClusterRouter::submit(RedisCall& call) {
  MR_CHECK(call.stage_ == RedisCall::Stage::kIdle);
  const base::TimePoint begin = now();
  if (!map_ && !reader_.is_reading()) {
    if (failure_ && begin < next_map_read_) return std::unexpected(*failure_);
    read_map();
  }
  call.stage_ = RedisCall::Stage::kQueued;
  call.place_ = ++batch_number_;
  const base::TimePoint expires = begin + request_timeout_;
  auto batch = std::make_unique<ClusterBatch>(
      static_cast<ClusterHost&>(*this), call, expires, services_.random);
  ClusterBatch& added = *batches_.emplace(call.place_, std::move(batch)).first->second;
  wake_at(expires);
  if (map_) added.route();
  return {};
}

void ClusterRouter::withdraw(RedisCall& call) {
  if (call.stage_ == RedisCall::Stage::kIdle) return;
  call.stage_ = RedisCall::Stage::kIdle;
  batches_.erase(call.place_);
}

void ClusterRouter::on_batch_done(ClusterBatch& batch, base::Status status) {
  RedisCall& call = batch.call();
  // Taken out of the table first: the call may submit others. Destroyed after the call was told.
  const auto ended = batches_.extract(call.place_);
  call.stage_ = RedisCall::Stage::kIdle;
  call.on_done(std::move(status));
}

void ClusterRouter::on_moved(std::uint16_t slot, const net::Address& node) {
  map_->set_owner(slot, node);
  on_map_doubted();
}

void ClusterRouter::on_map_doubted() {
  if (reader_.is_reading()) return;
  if (now() >= next_map_read_) return read_map();
  is_map_doubted_ = true;
  wake_at(next_map_read_);
}

void ClusterRouter::read_map() {
  is_map_doubted_ = false;
  next_map_read_ = now() + kMapReadsEvery;
  map_read_count_.add();
  std::vector<net::Address> candidates;
  if (map_) {
    candidates = map_->nodes();
    // Begin with a node by chance: the first of the list may be the one in trouble.
    const auto first = services_.random.below(candidates.size());
    std::ranges::rotate(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(first));
  }
  if (std::ranges::find(candidates, seed_) == candidates.end()) candidates.push_back(seed_);
  reader_.start(std::move(candidates));
}

void ClusterRouter::on_map(SlotMap map) {
  map_ = std::move(map);
  failure_.reset();
  may_drop_nodes_ = true;
  wake_at(now());
  serve_batches(true);
}

void ClusterRouter::on_no_map(const base::Error& error) {
  failure_ = error;
  if (log_ != nullptr) {
    log_->warning(
        "redis_cluster_map_failed",
        "No node of the cluster could say which node has which keys",
        {{"endpoint", endpoint_}, {"address", to_string(seed_)}, {"err", error.message()}});
  }
  if (map_) return serve_batches(true);
  for (const std::uint64_t number : batch_numbers()) {
    const auto found = batches_.find(number);
    if (found != batches_.end()) on_batch_done(*found->second, std::unexpected(error));
  }
}

std::vector<std::uint64_t> ClusterRouter::batch_numbers() const {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(batches_.size());
  for (const auto& [number, batch] : batches_) numbers.push_back(number);
  std::ranges::sort(numbers);
  return numbers;
}

void ClusterRouter::serve_batches(bool all) {
  const base::TimePoint begin = now();
  for (const std::uint64_t number : batch_numbers()) {
    const auto found = batches_.find(number);
    if (found == batches_.end()) continue;
    ClusterBatch& batch = *found->second;
    if (batch.expires() <= begin) {
      on_batch_done(batch,
                    base::fail(base::ErrorCode::kTimeout,
                               "The cluster did not answer in time: " + to_string(seed_)));
    } else if (map_ && (all || batch.is_due(begin))) {
      batch.proceed();
    }
  }
}

void ClusterRouter::wake_at(base::TimePoint when) {
  if (armed_at_ && *armed_at_ <= when) return;
  armed_at_ = when;
  timer_.start_at(when);
}

void ClusterRouter::on_timer() {
  armed_at_.reset();
  serve_batches(false);
  if (is_map_doubted_) on_map_doubted();
  if (may_drop_nodes_) drop_idle_nodes();
  rearm();
}

void ClusterRouter::drop_idle_nodes() {
  may_drop_nodes_ = false;
  std::vector<const RedisPool*> idle;
  for (const auto& pool : nodes_.pools()) {
    if (map_->is_owner(pool->settings().address)) continue;
    const bool is_used =
        reader_.is_reading() ||
        std::ranges::any_of(batches_, [&](const auto& entry) { return entry.second->uses(*pool); });
    if (is_used) {
      may_drop_nodes_ = true;
    } else {
      idle.push_back(pool.get());
    }
  }
  for (const RedisPool* const pool : idle) {
    if (log_ != nullptr) {
      log_->write_limited(
          base::LogLevel::kInfo,
          "redis_cluster_node_dropped",
          "A node of the cluster has no keys any more: its connections are closed",
          {{"endpoint", endpoint_}, {"address", to_string(pool->settings().address)}});
    }
    nodes_.drop(*pool);
  }
  if (may_drop_nodes_) wake_at(now() + kMapReadsEvery);
}

void ClusterRouter::rearm() {
  for (const auto& [number, batch] : batches_) {
    const auto wakes_at = batch->wakes_at();
    wake_at(wakes_at ? std::min(*wakes_at, batch->expires()) : batch->expires());
  }
}

}  // namespace millrace::stores
