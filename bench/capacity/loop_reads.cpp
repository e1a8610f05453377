#include "bench/capacity/loop_reads.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"

namespace millrace::bench {

LoopReads::LoopReads(std::uint32_t shards, bool single_flight, double cache_seconds)
    : shards_(shards), single_flight_(single_flight), cache_seconds_(cache_seconds) {}

std::uint32_t LoopReads::shard_of(std::uint64_t key) const {
  return static_cast<std::uint32_t>(base::SplitMix64(key).next() % shards_);
}

std::vector<ReadBatch> LoopReads::ask(std::uint64_t request,
                                      std::span<const std::uint64_t> keys,
                                      double now) {
  std::vector<ReadBatch> batches;
  std::uint32_t missing = 0;
  for (const std::uint64_t key : keys) {
    if (cache_seconds_ > 0) {
      const auto fresh = fresh_until_.find(key);
      if (fresh != fresh_until_.end() && fresh->second > now) continue;
    }
    ++missing;
    std::vector<std::uint64_t>& waiters = waiters_[key];
    const bool is_under_way = single_flight_ && !waiters.empty();
    waiters.push_back(request);
    if (is_under_way) continue;
    const std::uint32_t shard = shard_of(key);
    auto batch = std::ranges::find(batches, shard, &ReadBatch::shard);
    if (batch == batches.end()) batch = batches.insert(batch, {.shard = shard});
    batch->keys.push_back(key);
  }
  if (missing > 0) missing_[request] = missing;
  return batches;
}

std::vector<std::uint64_t> LoopReads::answer(const ReadBatch& batch, double now) {
  std::vector<std::uint64_t> ready;
  for (const std::uint64_t key : batch.keys) {
    const auto found = waiters_.find(key);
    // Without single flight every request has a reply of its own: the oldest one takes this one.
    std::vector<std::uint64_t> served;
    if (single_flight_) {
      served = std::move(found->second);
      waiters_.erase(found);
    } else {
      served.push_back(found->second.front());
      found->second.erase(found->second.begin());
      if (found->second.empty()) waiters_.erase(found);
    }
    if (cache_seconds_ > 0) fresh_until_[key] = now + cache_seconds_;
    for (const std::uint64_t request : served) {
      const auto missing = missing_.find(request);
      if (--missing->second > 0) continue;
      missing_.erase(missing);
      ready.push_back(request);
    }
  }
  return ready;
}

}  // namespace millrace::bench
