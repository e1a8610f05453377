#include "runtime/steal_deque.h"

#include <cstdint>
#include <deque>
#include <optional>

#include <gtest/gtest.h>

#include "base/random.h"

namespace millrace::runtime {
namespace {

DequeItem item(std::uint64_t payload) { return {.run = nullptr, .payload = payload}; }

std::optional<std::uint64_t> pop(StealDeque<>& deque) {
  DequeItem taken;
  if (!deque.try_pop(taken)) return std::nullopt;
  return taken.payload;
}

std::optional<std::uint64_t> steal(StealDeque<>& deque) {
  DequeItem taken;
  if (deque.steal(taken) != StealResult::kTaken) return std::nullopt;
  return taken.payload;
}

TEST(StealDequeTest, P5_OwnerTakesNewest) {
  StealDeque<> deque;
  for (std::uint64_t payload = 1; payload <= 3; ++payload) deque.push(item(payload));
  EXPECT_EQ(pop(deque), 3U);
  EXPECT_EQ(pop(deque), 2U);
  deque.push(item(4));
  EXPECT_EQ(pop(deque), 4U);
  EXPECT_EQ(pop(deque), 1U);
  EXPECT_EQ(pop(deque), std::nullopt);
}

TEST(StealDequeTest, P5_ThiefTakesOldest) {
  StealDeque<> deque;
  for (std::uint64_t payload = 1; payload <= 3; ++payload) deque.push(item(payload));
  EXPECT_EQ(steal(deque), 1U);
  EXPECT_EQ(steal(deque), 2U);
  EXPECT_EQ(pop(deque), 3U);
  DequeItem untouched = item(7);
  EXPECT_EQ(deque.steal(untouched), StealResult::kEmpty);
  EXPECT_EQ(untouched, item(7));
}

TEST(StealDequeTest, KeepsBothWordsOfAnItem) {
  StealDeque<> deque;
  int run = 0;
  deque.push({.run = &run, .payload = ~std::uint64_t{0}});
  DequeItem taken;
  ASSERT_TRUE(deque.try_pop(taken));
  EXPECT_EQ(taken, (DequeItem{.run = &run, .payload = ~std::uint64_t{0}}));
}

TEST(StealDequeTest, HintsFollowTheContents) {
  StealDeque<> deque;
  EXPECT_TRUE(deque.looks_empty());
  deque.push(item(1));
  deque.push(item(2));
  EXPECT_FALSE(deque.looks_empty());
  EXPECT_EQ(deque.size_hint(), 2U);
  EXPECT_EQ(steal(deque), 1U);
  EXPECT_EQ(deque.size_hint(), 1U);
  EXPECT_EQ(pop(deque), 2U);
  EXPECT_EQ(pop(deque), std::nullopt);
  EXPECT_EQ(deque.size_hint(), 0U);
}

TEST(StealDequeTest, GrowsOnlyWhenItsContentsDoNotFit) {
  StealDeque<> deque(4);
  std::uint64_t next = 0;
  for (; next < 4; ++next) deque.push(item(next));
  // Far more items than slots pass through, but never more than four at once.
  for (std::uint64_t oldest = 0; oldest < 1000; ++oldest, ++next) {
    ASSERT_EQ(steal(deque), oldest);
    deque.push(item(next));
  }
  EXPECT_EQ(deque.capacity(), 4U);
  deque.push(item(next));
  EXPECT_EQ(deque.capacity(), 8U);
  EXPECT_EQ(deque.size_hint(), 5U);
}

TEST(StealDequeTest, GrowthKeepsOrderAcrossTheWrap) {
  StealDeque<> deque(4);
  for (std::uint64_t payload = 0; payload < 3; ++payload) deque.push(item(payload));
  EXPECT_EQ(steal(deque), 0U);
  EXPECT_EQ(steal(deque), 1U);
  for (std::uint64_t payload = 3; payload < 100; ++payload) deque.push(item(payload));
  for (std::uint64_t payload = 2; payload < 50; ++payload) ASSERT_EQ(steal(deque), payload);
  for (std::uint64_t payload = 99; payload >= 50; --payload) ASSERT_EQ(pop(deque), payload);
  EXPECT_TRUE(deque.looks_empty());
}

TEST(StealDequeTest, RoundsCapacityUpToPowerOfTwo) {
  EXPECT_EQ(StealDeque<>().capacity(), StealDeque<>::kInitialCapacity);
  EXPECT_EQ(StealDeque<>(0).capacity(), 1U);
  EXPECT_EQ(StealDeque<>(5).capacity(), 8U);
}

TEST(StealDequeTest, AgreesWithPlainDeque) {
  base::SplitMix64 random(20130223);
  StealDeque<> deque(1);
  std::deque<std::uint64_t> expected;
  for (std::uint64_t step = 0; step < 100'000; ++step) {
    std::optional<std::uint64_t> want;
    switch (random.below(5)) {
      case 0:
      case 1:
        deque.push(item(step));
        expected.push_back(step);
        break;
      case 2:
      case 3:
        if (!expected.empty()) {
          want = expected.back();
          expected.pop_back();
        }
        ASSERT_EQ(pop(deque), want);
        break;
      default:
        if (!expected.empty()) {
          want = expected.front();
          expected.pop_front();
        }
        ASSERT_EQ(steal(deque), want);
    }
    ASSERT_EQ(deque.size_hint(), expected.size());
  }
}

}  // namespace
}  // namespace millrace::runtime
