#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/sync/atomics.h"
#include "runtime/steal_deque.h"

namespace millrace::runtime {
namespace {

// What an item points to: plain memory, so that the race detector sees whether a push publishes it.
struct Job {
  std::uint64_t input = 0;
  std::uint32_t taken_count = 0;
};

void take(const DequeItem& item, std::uint64_t& sum) {
  auto* const job = static_cast<Job*>(item.run);
  ++job->taken_count;
  sum += job->input ^ item.payload;
}

struct Progress {
  std::atomic<int> ready_count{0};    // Thieves that have started; publishes nothing.
  std::atomic<bool> finished{false};  // Publishes to thieves that nothing more will be pushed.
};

std::uint64_t steal_until_finished(StealDeque<>& deque, Progress& progress) {
  std::uint64_t sum = 0;
  progress.ready_count.fetch_add(1, std::memory_order_relaxed);
  DequeItem item;
  while (true) {
    const bool was_finished = progress.finished.load(std::memory_order_acquire);
    const StealResult result = deque.steal(item);
    if (result == StealResult::kTaken) take(item, sum);
    if (result == StealResult::kEmpty && was_finished) return sum;
    if (result == StealResult::kEmpty) base::StdAtomics::yield();
  }
}

std::uint64_t push_and_pop(StealDeque<>& deque, std::vector<Job>& jobs, std::uint64_t seed) {
  base::SplitMix64 random(seed);
  std::uint64_t sum = 0;
  DequeItem item;
  std::size_t next = 0;
  while (next < jobs.size()) {
    // Lets the thieves in, however few cores there are.
    if (random.chance(0.005)) base::StdAtomics::yield();
    for (std::uint64_t burst = random.below(8); burst > 0 && next < jobs.size(); --burst, ++next) {
      jobs[next].input = 3 * next;
      deque.push({.run = &jobs[next], .payload = next});
    }
    for (std::uint64_t burst = random.below(8); burst > 0 && deque.try_pop(item); --burst) {
      take(item, sum);
    }
  }
  return sum;
}

TEST(StealDequeStressTest, P5_EveryItemIsTakenOnceByOwnerOrThieves) {
  constexpr std::size_t kJobCount = 100'000;
  for (int thief_count = 1; thief_count <= 3; ++thief_count) {
    StealDeque<> deque(2);
    std::vector<Job> jobs(kJobCount);
    Progress progress;
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(thief_count) + 1);
    std::vector<std::thread> thieves;
    for (int thief = 1; thief <= thief_count; ++thief) {
      thieves.emplace_back([&, thief] {
        sums[static_cast<std::size_t>(thief)] = steal_until_finished(deque, progress);
      });
    }
    while (progress.ready_count.load(std::memory_order_relaxed) < thief_count)
      base::StdAtomics::yield();
    sums[0] = push_and_pop(deque, jobs, static_cast<std::uint64_t>(thief_count));
    progress.finished.store(true, std::memory_order_release);
    for (std::thread& thief : thieves) thief.join();

    std::uint64_t sum = 0;
    std::uint64_t expected_sum = 0;
    for (const std::uint64_t part : sums) sum += part;
    for (std::size_t index = 0; index < kJobCount; ++index) {
      ASSERT_EQ(jobs[index].taken_count, 1U) << "job " << index;
      expected_sum += (3 * index) ^ index;
    }
    EXPECT_EQ(sum, expected_sum);
  }
}

}  // namespace
}  // namespace millrace::runtime
