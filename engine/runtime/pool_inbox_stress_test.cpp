#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/pool_inbox.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {
namespace {

constexpr std::uint64_t kPerProducer = 2'000;
constexpr std::uint64_t kProducers = 2;
constexpr std::uint64_t kStrandBit = std::uint64_t{1} << 60U;

// Takes until everything was taken once. What one producer pushed arrives in its order; every
// seventh item goes back once, as a strand does that makes room.
void take_all(PoolInbox<>& inbox,
              std::array<std::atomic<int>, kProducers * kPerProducer>& taken,
              std::atomic<std::uint64_t>& taken_count) {
  std::array<std::uint64_t, kProducers> next{};
  while (taken_count.load(std::memory_order_relaxed) < kProducers * kPerProducer) {
    DequeItem item;
    if (!inbox.try_take(static_cast<std::size_t>(Priority::kNormal), item)) {
      std::this_thread::yield();
      continue;
    }
    const bool is_strand = (item.payload & kStrandBit) != 0;
    const std::uint64_t number = item.payload & ~kStrandBit;
    if (!is_strand) {
      EXPECT_GE(number % kPerProducer, next[number / kPerProducer]);
      next[number / kPerProducer] = number % kPerProducer + 1;
      if (number % 7 == 0) {
        inbox.push_strand({.run = nullptr, .payload = number | kStrandBit},
                          static_cast<std::size_t>(Priority::kNormal));
        continue;
      }
    }
    taken[number].fetch_add(1, std::memory_order_relaxed);
    taken_count.fetch_add(1, std::memory_order_relaxed);
  }
}

TEST(PoolInboxStressTest, D10_EverythingIsTakenOnceAndInTheOrderOfItsProducer) {
  PoolInbox<> inbox;
  std::vector<QueueEntry> entries(kProducers * kPerProducer);
  for (std::uint64_t number = 0; number < entries.size(); ++number)
    entries[number].payload = number;
  std::array<std::atomic<int>, kProducers * kPerProducer> taken{};
  std::atomic<std::uint64_t> taken_count{0};
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t producer = 0; producer < kProducers; ++producer) {
      threads.emplace_back([&, producer] {
        for (std::uint64_t index = 0; index < kPerProducer; ++index)
          inbox.push(entries[producer * kPerProducer + index], Priority::kNormal);
      });
    }
    for (int taker = 0; taker < 2; ++taker)
      threads.emplace_back([&] { take_all(inbox, taken, taken_count); });
  }
  for (const std::atomic<int>& count : taken) EXPECT_EQ(count.load(), 1);
  EXPECT_EQ(inbox.size_hint(), 0);
}

}  // namespace
}  // namespace millrace::runtime
