#include "base/sync/thread_placement.h"

#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

namespace millrace::base {
namespace {

TEST(ThreadPlacementTest, APinnedThreadMayUseOneProcessorOnly) {
  const std::vector<int> usable = *usable_processors();
  ASSERT_FALSE(usable.empty());
  std::binary_semaphore pinned{0};
  std::vector<int> seen;
  {
    std::jthread thread([&] {
      pinned.acquire();
      seen = *usable_processors();
    });
    EXPECT_TRUE(pin_thread(thread.native_handle(), usable.back()).has_value());
    pinned.release();
  }
  EXPECT_EQ(seen, std::vector<int>{usable.back()});
  EXPECT_EQ(*usable_processors(), usable) << "other threads stay where they are";
}

TEST(ThreadPlacementTest, AProcessorThatIsNotThereIsRefused) {
  for (const int processor : {-1, 1023, 5000}) {
    const Status refused = pin_thread(pthread_self(), processor);
    ASSERT_FALSE(refused.has_value()) << processor;
    EXPECT_THAT(refused.error().message(),
                testing::HasSubstr("cannot be put on processor " + std::to_string(processor)));
    EXPECT_THAT(refused.error().message(), testing::HasSubstr("start without pinning"));
  }
}

TEST(ThreadPlacementTest, ProcessorsAreDealtInTurns) {
  const std::vector<int> usable = *usable_processors();
  std::vector<int> dealt;
  for (std::size_t turn = 0; turn < 2 * usable.size(); ++turn) {
    ProcessorDeal deal = *ProcessorDeal::create();
    deal.skip(turn);
    std::jthread([&] {
      ASSERT_TRUE(deal.pin_next(pthread_self()).has_value());
      dealt.push_back(usable_processors()->front());
    }).join();
  }
  std::vector<int> expected = usable;
  expected.insert(expected.end(), usable.begin(), usable.end());
  EXPECT_EQ(dealt, expected);
}

}  // namespace
}  // namespace millrace::base
