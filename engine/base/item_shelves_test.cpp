#include "base/item_shelves.h"

#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "base/lease_pool.h"
#include "base/thread_number.h"

namespace millrace::base {
namespace {

using Shelves = ItemShelves<int>;

// Calls `act` on a thread of its own.
template <class Act>
void on_other_thread(Act act) {
  std::thread(std::move(act)).join();
}

TEST(ItemShelvesTest, WhatCameBackLastLeavesFirst) {
  Shelves shelves;
  EXPECT_EQ(shelves.try_take(3), nullptr);
  for (int value = 1; value <= 3; ++value) {
    shelves.expect_item(3);
    shelves.put_back(std::make_unique<int>(value), 3);
  }
  EXPECT_EQ(shelves.count(), 3U);
  EXPECT_EQ(*shelves.try_take(3), 3);
  EXPECT_EQ(*shelves.try_take(3), 2);
  EXPECT_EQ(*shelves.try_take(3), 1);
  EXPECT_EQ(shelves.try_take(3), nullptr);
  EXPECT_EQ(shelves.count(), 0U);
}

TEST(ItemShelvesTest, AShelfHoldsNothingForOthers) {
  Shelves shelves;
  shelves.put_back(std::make_unique<int>(1), 0);
  shelves.put_back(std::make_unique<int>(2), 0);
  EXPECT_EQ(shelves.try_take(1), nullptr);
  EXPECT_NE(shelves.try_take(0), nullptr);
}

TEST(ItemShelvesTest, EachThreadHasItsOwn) {
  const Shelves::ShelfIndex own = Shelves::own_shelf();
  EXPECT_EQ(own, Shelves::own_shelf());
  on_other_thread([own] { EXPECT_NE(own, Shelves::own_shelf()); });
}

TEST(ItemShelvesTest, ThreadNumbersAreUsedOnce) {
  std::uint32_t first = 0;
  on_other_thread([&first] { first = thread_number(); });
  on_other_thread([first] { EXPECT_EQ(thread_number(), first + 1); });
}

struct Counted {
  void reset() { ++reset_count; }
  int reset_count = 0;
};

TEST(LeasePoolTest, AnItemGoesBackToTheThreadThatTookIt) {
  LeasePool<Counted> pool;
  Counted* lent = nullptr;
  {
    auto lease = pool.acquire();
    lent = lease.get();
    on_other_thread([&lease, &pool, lent] {
      const auto returned = std::move(lease);
      const auto own = pool.acquire();
      EXPECT_NE(own.get(), lent);
    });
    on_other_thread([&pool, lent] { EXPECT_NE(pool.acquire().get(), lent); });
  }
  const auto again = pool.acquire();
  EXPECT_EQ(again.get(), lent);
  EXPECT_EQ(again->reset_count, 1);
}

TEST(LeasePoolTest, HoldsAsManyAsWereLentAtOnce) {
  LeasePool<Counted> pool;
  const Counted* first = nullptr;
  const Counted* second = nullptr;
  {
    const auto one = pool.acquire();
    const auto two = pool.acquire();
    first = one.get();
    second = two.get();
  }
  const auto one = pool.acquire();
  const auto two = pool.acquire();
  EXPECT_EQ(one.get(), first);
  EXPECT_EQ(two.get(), second);
}

}  // namespace
}  // namespace millrace::base
