#include "base/sync/processor_move.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include "base/sync/thread_placement.h"

namespace millrace::base {
namespace {

TEST(ProcessorMoveTest, TheCurrentProcessorIsOneOfThoseThatMayBeUsed) {
  EXPECT_THAT(*usable_processors(), testing::Contains(current_processor()));
}

TEST(ProcessorMoveTest, AThreadThatHasMovedMayUseTheSameProcessorsAsBefore) {
  const std::vector<int> usable = *usable_processors();
  EXPECT_EQ(leave_processor(usable.front()), usable.size() > 1);
  EXPECT_EQ(*usable_processors(), usable);
}

TEST(ProcessorMoveTest, WhoMayUseOneProcessorStays) {
  const std::vector<int> usable = *usable_processors();
  ASSERT_TRUE(pin_thread(pthread_self(), usable.back()).has_value());
  EXPECT_FALSE(leave_processor(usable.back()));
  EXPECT_EQ(*usable_processors(), std::vector<int>{usable.back()});
  EXPECT_EQ(current_processor(), usable.back());
}

TEST(ProcessorMoveTest, ProcessorsThatAreNotThereAreNotLeft) {
  EXPECT_FALSE(leave_processor(-1));
  EXPECT_FALSE(leave_processor(1 << 20));
}

}  // namespace
}  // namespace millrace::base
