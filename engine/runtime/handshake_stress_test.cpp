#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/sync/atomics.h"
#include "runtime/handshake.h"
#include "runtime/steal_deque.h"

namespace millrace::runtime {
namespace {

constexpr std::uint64_t kHoldCount = 2'000;

// Plays a worker that keeps running bodies while another thread uses its deque as its owner would.
struct Worker {
  Handshake<> handshake;
  // Owner-only, plain: the race detector sees any overlap of worker and holder.
  std::uint64_t touch_count = 0;
  std::uint64_t popped_count = 0;
  StealDeque<> deque{2};

  void pop_one() {
    DequeItem item;
    if (deque.try_pop(item)) ++popped_count;
    ++touch_count;
  }
};

void act_for(Worker& worker, std::atomic<std::uint64_t>& hold_count) {
  while (hold_count.load(std::memory_order_relaxed) < kHoldCount) {
    if (!worker.handshake.try_hold()) {
      base::StdAtomics::pause();
      continue;
    }
    worker.pop_one();
    worker.handshake.release();
    hold_count.fetch_add(1, std::memory_order_relaxed);
  }
}

TEST(HandshakeStressTest, OwnerAndHoldersNeverTouchTheStateTogether) {
  Worker worker;
  std::atomic<std::uint64_t> hold_count{0};  // Tells everybody when to stop; publishes nothing.
  constexpr int kOtherCount = 2;
  std::vector<std::thread> others;
  others.reserve(kOtherCount);
  for (int other = 0; other < kOtherCount; ++other) {
    others.emplace_back([&] { act_for(worker, hold_count); });
  }
  std::uint64_t pushed_count = 0;
  std::uint64_t owner_touch_count = 0;
  for (; hold_count.load(std::memory_order_relaxed) < kHoldCount; ++pushed_count) {
    worker.deque.push({.run = nullptr, .payload = pushed_count});
    worker.handshake.enter_body();
    if (pushed_count % 64 == 0) base::StdAtomics::yield();
    worker.handshake.leave_body();
    worker.pop_one();
    ++owner_touch_count;
  }
  for (std::thread& other : others) other.join();
  EXPECT_EQ(worker.touch_count, owner_touch_count + hold_count.load());
  while (!worker.deque.looks_empty()) worker.pop_one();
  EXPECT_EQ(worker.popped_count, pushed_count);
}

}  // namespace
}  // namespace millrace::runtime
