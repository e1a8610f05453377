#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace::runtime {

/// Tells how many nodes of the whole process are ready but not running.
/// Threading: any thread; the number may miss changes that other threads are just making.
class ReadyGauge {
 public:
  virtual ~ReadyGauge() = default;
  [[nodiscard]] virtual std::int64_t ready_count() const = 0;
};

/// A gauge with one counter per thread, so that threads never share a cache line to count. A node
/// may be added on one thread and removed on another: only the sum has a meaning.
/// Threading: `add` and `sub` from the one thread that owns the shard, `ready_count` from any.
class ShardedReadyGauge final : public ReadyGauge {
 public:
  explicit ShardedReadyGauge(std::size_t shard_count) : shards_(shard_count) {}

  void add(std::size_t shard, std::int64_t count) {
    std::atomic<std::int64_t>& value = shards_[shard].value;
    value.store(value.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  void sub(std::size_t shard, std::int64_t count) { add(shard, -count); }

  [[nodiscard]] std::int64_t ready_count() const override {
    std::int64_t sum = 0;
    for (const Shard& shard : shards_) sum += shard.value.load(std::memory_order_relaxed);
    // The shards are read at different moments, so the sum may be negative.
    return sum < 0 ? 0 : sum;
  }

 private:
  struct alignas(64) Shard {
    // Written by its owner only, read by any thread that decides on admission. Publishes nothing.
    std::atomic<std::int64_t> value{0};
  };
  std::vector<Shard> shards_;
};

}  // namespace millrace::runtime
