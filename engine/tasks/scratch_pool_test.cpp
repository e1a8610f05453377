#include "tasks/scratch_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

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

}  // namespace
}  // namespace millrace::tasks::testing
