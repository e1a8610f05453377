#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "base/sync/asymmetric_fence.h"
#include "base/sync/atomics.h"

namespace millrace::base {
namespace {

// The store-buffering litmus test: each side stores its flag and then reads the other's.
struct Litmus {
  // Written by one side each, read by the other; relaxed, so that only the fences order them.
  alignas(kApartBytes) std::atomic<std::uint32_t> fast_flag{0};
  alignas(kApartBytes) std::atomic<std::uint32_t> slow_flag{0};
  // Counts half-rounds; each side releases what it saw to the other and waits for it.
  alignas(kApartBytes) std::atomic<std::uint32_t> fast_turn{0};
  alignas(kApartBytes) std::atomic<std::uint32_t> slow_turn{0};
  std::uint32_t fast_saw = 0;
  std::uint32_t slow_saw = 0;
  // Written by the slow side and carried to the other one by `slow_turn`.
  bool is_over = false;
};

/// Waits for the other side; says how often it had to let others run meanwhile.
std::uint32_t meet(std::atomic<std::uint32_t>& mine,
                   const std::atomic<std::uint32_t>& theirs,
                   std::uint32_t turn) {
  constexpr int kSpins = 4'000;
  std::uint32_t yields = 0;
  mine.store(turn, std::memory_order_release);
  for (int spin = 0; theirs.load(std::memory_order_acquire) < turn; ++spin) {
    if (spin < kSpins) continue;
    StdAtomics::yield();
    ++yields;
  }
  return yields;
}

void run_fast_side(Litmus& litmus) {
  for (std::uint32_t round = 1; !litmus.is_over; ++round) {
    meet(litmus.fast_turn, litmus.slow_turn, 2 * round - 1);
    litmus.fast_flag.store(round, std::memory_order_relaxed);
    light_fence();
    litmus.fast_saw = litmus.slow_flag.load(std::memory_order_relaxed);
    meet(litmus.fast_turn, litmus.slow_turn, 2 * round);
  }
}

TEST(AsymmetricFenceStressTest, NeverDoBothSidesMissEachOther) {
  constexpr std::uint32_t kRoundCount = 20'000;
  // Sides that have no core each take turns at the pace of the kernel: fewer rounds do.
  constexpr std::uint32_t kYieldsMax = 2'000;
  std::uint32_t yields = 0;
  Litmus litmus;
  std::uint32_t both_missed_count = 0;
  std::thread fast(run_fast_side, std::ref(litmus));
  for (std::uint32_t round = 1; !litmus.is_over; ++round) {
    yields += meet(litmus.slow_turn, litmus.fast_turn, 2 * round - 1);
    litmus.slow_flag.store(round, std::memory_order_relaxed);
    heavy_fence();
    litmus.slow_saw = litmus.fast_flag.load(std::memory_order_relaxed);
    litmus.is_over = round == kRoundCount || yields > kYieldsMax;
    yields += meet(litmus.slow_turn, litmus.fast_turn, 2 * round);
    if (litmus.slow_saw != round && litmus.fast_saw != round) ++both_missed_count;
  }
  fast.join();
  EXPECT_EQ(both_missed_count, 0U);
}

}  // namespace
}  // namespace millrace::base
