#include "tasks/scratch_pool.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::tasks::testing {
namespace {

TEST(ScratchPoolTest, GivesOutTheWarmOneAgain) {
  ScratchPool pool;
  const TaskScratch* first = nullptr;
  {
    const ScratchLease lease = pool.acquire();
    first = lease.get();
    ASSERT_NE(lease->arena().try_allocate(100, 8), nullptr);
  }
  const ScratchLease again = pool.acquire();
  EXPECT_EQ(again.get(), first);
  EXPECT_EQ(again->arena().used_bytes(), 0);
}

TEST(ScratchPoolTest, LeasesAreApart) {
  ScratchPool pool;
  const ScratchLease first = pool.acquire();
  const ScratchLease second = pool.acquire();
  EXPECT_NE(first.get(), second.get());
}

TEST(ScratchPoolTest, KeepsEveryScratchThatCameBack) {
  ScratchPool pool;
  std::vector<const TaskScratch*> used;
  {
    const ScratchLease first = pool.acquire();
    const ScratchLease second = pool.acquire();
    used = {first.get(), second.get()};
  }
  const ScratchLease third = pool.acquire();
  const ScratchLease fourth = pool.acquire();
  EXPECT_EQ(third.get(), used[0]) << "must be the one that was returned last";
  EXPECT_EQ(fourth.get(), used[1]);
}

// ThreadSanitizer reports a race if two threads get the same scratch.
TEST(ScratchPoolTest, ThreadsNeverShareAScratch) {
  constexpr int kTurns = 2000;
  ScratchPool pool;
  const auto use = [&pool] {
    for (int turn = 0; turn < kTurns; ++turn) {
      const ScratchLease lease = pool.acquire();
      EXPECT_EQ(lease->arena().used_bytes(), 0);
      EXPECT_NE(lease->arena().try_allocate(64, 8), nullptr);
    }
  };
  std::vector<std::jthread> threads;
  for (int index = 0; index < 3; ++index) threads.emplace_back(use);
}

}  // namespace
}  // namespace millrace::tasks::testing
