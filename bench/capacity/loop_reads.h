#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace millrace::bench {

/// One read that leaves for a shard: keys that go together.
struct ReadBatch {
  std::uint32_t shard = 0;
  std::vector<std::uint64_t> keys = {};
};

/// What one loop of a process knows of its reads: those under way, and replies that are fresh.
/// Threading: not shared.
class LoopReads {
 public:
  LoopReads(std::uint32_t shards, bool single_flight, double cache_seconds);

  /// Notes that `request` needs the keys. Gives the batches that must be sent for it; if
  /// `is_waiting` says no afterwards, it has all of them.
  [[nodiscard]] std::vector<ReadBatch> ask(std::uint64_t request,
                                           std::span<const std::uint64_t> keys,
                                           double now);
  /// Notes that the replies of a batch are there. Gives the requests that wait for nothing more.
  [[nodiscard]] std::vector<std::uint64_t> answer(const ReadBatch& batch, double now);
  [[nodiscard]] bool is_waiting(std::uint64_t request) const { return missing_.contains(request); }

 private:
  [[nodiscard]] std::uint32_t shard_of(std::uint64_t key) const;

  std::uint32_t shards_;
  bool single_flight_;
  double cache_seconds_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> waiters_;  // requests by key
  std::unordered_map<std::uint64_t, double> fresh_until_;                  // by key
  std::unordered_map<std::uint64_t, std::uint32_t> missing_;               // keys by request
};

}  // namespace millrace::bench
