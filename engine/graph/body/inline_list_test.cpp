#include "graph/body/inline_list.h"

#include <memory>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::graph {
namespace {

struct Held {
  std::shared_ptr<int> value = nullptr;
  void forget() { value.reset(); }
};

std::vector<int> values(const InlineList<Held>& list) {
  std::vector<int> found;
  for (const Held& item : std::span<const Held>(list)) found.push_back(*item.value);
  return found;
}

TEST(InlineListTest, HoldsAnyNumberInOrder) {
  InlineList<Held> list;
  std::vector<int> wanted;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(values(list), wanted);
    list.push_back({.value = std::make_shared<int>(i)});
    wanted.push_back(i);
    EXPECT_EQ(*list.back().value, i);
    EXPECT_EQ(*list.front().value, 0);
  }
  EXPECT_EQ(values(list), wanted);
}

TEST(InlineListTest, ClearGivesUpWhatItemsHold) {
  InlineList<Held> list;
  for (const int count : {1, 3, 1, 2}) {
    const auto held = std::make_shared<int>(count);
    for (int i = 0; i < count; ++i) list.push_back({.value = held});
    EXPECT_EQ(held.use_count(), count + 1);
    list.clear();
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_TRUE(list.empty());
  }
  list.begin_stale().value = std::make_shared<int>(9);
  EXPECT_EQ(values(list), std::vector<int>{9});
}

}  // namespace
}  // namespace millrace::graph
