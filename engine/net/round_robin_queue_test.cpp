#include "net/round_robin_queue.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace millrace::net {
namespace {

std::string pop_all(RoundRobinQueue<const char>& queue) {
  std::string order;
  while (const char* item = queue.try_pop()) order += *item;
  return order;
}

TEST(RoundRobinQueueTest, ServesGroupsInTurnAndEachInOrder) {
  const std::array<char, 7> items{'a', 'b', 'c', 'd', 'x', 'y', 'z'};
  const int first = 0;
  const int second = 0;
  const int third = 0;
  RoundRobinQueue<const char> queue;
  for (std::size_t i = 0; i < 4; ++i) queue.push(&first, items[i]);
  queue.push(&second, items[4]);
  queue.push(&second, items[5]);
  queue.push(&third, items[6]);
  EXPECT_EQ(queue.size(), 7U);
  EXPECT_EQ(pop_all(queue), "axzbycd");
  EXPECT_TRUE(queue.empty());
}

TEST(RoundRobinQueueTest, ALateGroupWaitsForOneOfTheOthersOnly) {
  const std::string items = "abcdefx";
  const int crowd = 0;
  const int late = 0;
  RoundRobinQueue<const char> queue;
  for (std::size_t i = 0; i < 6; ++i) queue.push(&crowd, items[i]);
  EXPECT_EQ(*queue.try_pop(), 'a');
  queue.push(&late, items[6]);
  EXPECT_EQ(pop_all(queue), "bxcdef");
}

TEST(RoundRobinQueueTest, TakesOutWhatIsGivenUp) {
  const std::string items = "abc";
  const int first = 0;
  const int second = 0;
  RoundRobinQueue<const char> queue;
  queue.push(&first, items[0]);
  queue.push(&first, items[1]);
  queue.push(&second, items[2]);
  queue.remove(&second, items[2]);
  queue.remove(&first, items[0]);
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(pop_all(queue), "b");
}

}  // namespace
}  // namespace millrace::net
