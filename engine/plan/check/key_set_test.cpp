#include "plan/check/key_set.h"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::plan {
namespace {

TEST(KeySetTest, HoldsKeysAcrossWords) {
  KeySet keys(130);
  EXPECT_TRUE(keys.empty());
  for (const std::size_t key : {0U, 63U, 64U, 129U}) keys.add(key);
  EXPECT_TRUE(keys.contains(64));
  EXPECT_FALSE(keys.contains(65));
  std::vector<std::size_t> all;
  keys.for_each([&](std::size_t key) { all.push_back(key); });
  EXPECT_EQ(all, (std::vector<std::size_t>{0, 63, 64, 129}));
  keys.remove(64);
  EXPECT_FALSE(keys.contains(64));
}

TEST(KeySetTest, CombinesLikeSets) {
  KeySet left(70);
  KeySet right(70);
  left.add(1);
  left.add(69);
  right.add(69);
  EXPECT_EQ((left & right), right);
  EXPECT_EQ((left | right), left);
  EXPECT_TRUE((left - right).contains(1));
  EXPECT_FALSE((left - right).contains(69));
}

}  // namespace
}  // namespace millrace::plan
