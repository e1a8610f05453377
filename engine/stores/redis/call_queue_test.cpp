#include "stores/redis/call_queue.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/redis/redis_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::ElementsAre;

std::unique_ptr<TestCall> call_of(std::size_t commands) {
  return std::make_unique<TestCall>(std::vector<Words>(commands, Words{"PING"}));
}
std::vector<std::uint32_t> drain(CallQueue& queue) {
  std::vector<std::uint32_t> sizes;
  while (!queue.empty()) {
    sizes.push_back(queue.front().command_count());
    queue.pop_front();
  }
  return sizes;
}

TEST(CallQueueTest, RED4_SmallCallsPassLargeOnes) {
  CallQueue queue;
  const auto large = call_of(100);
  const auto first = call_of(2);
  const auto second = call_of(1);
  queue.push(*large);
  queue.push(*first);
  queue.push(*second);
  EXPECT_THAT(drain(queue), ElementsAre(1, 2, 100));
}

TEST(CallQueueTest, RED4_ALargeCallWaitsForNoMoreThanItsOwnShare) {
  CallQueue queue;
  const auto large = call_of(50);
  queue.push(*large);
  std::vector<std::unique_ptr<TestCall>> small;
  std::size_t passed = 0;
  // Small calls keep coming; each takes its turn when it came early enough.
  for (;; ++passed) {
    small.push_back(call_of(10));
    queue.push(*small.back());
    const bool is_large = queue.front().command_count() == 50;
    queue.pop_front();
    if (is_large) break;
  }
  EXPECT_EQ(passed, 4U);
}

TEST(CallQueueTest, EqualCallsKeepTheirOrderAndAnyCanLeave) {
  CallQueue queue;
  const auto one = call_of(1);
  const auto two = call_of(1);
  const auto three = call_of(1);
  for (const auto* call : {&one, &two, &three}) queue.push(**call);
  queue.remove(*two);
  EXPECT_EQ(&queue.front(), one.get());
  queue.pop_front();
  EXPECT_EQ(&queue.front(), three.get());
  EXPECT_EQ(queue.size(), 1U);
}

}  // namespace
}  // namespace millrace::stores::testing
