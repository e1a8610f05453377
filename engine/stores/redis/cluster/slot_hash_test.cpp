#include "stores/redis/cluster/slot_hash.h"

#include <gtest/gtest.h>

namespace millrace::stores::testing {
namespace {

TEST(SlotHashTest, RED11_IsTheSlotThatServersGive) {
  // CLUSTER KEYSLOT of a server gives the same.
  EXPECT_EQ(slot_of("123456789"), 0x31C3);
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of("bar"), 5061);
  EXPECT_EQ(slot_of(""), 0);
}

TEST(SlotHashTest, RED11_OnlyTheTagCounts) {
  EXPECT_EQ(slot_of("{user1000}.following"), slot_of("user1000"));
  EXPECT_EQ(slot_of("a{b}c{d}"), slot_of("b"));
  EXPECT_EQ(slot_of("foo{{bar}}zap"), slot_of("{bar"));
}

TEST(SlotHashTest, RED11_AnEmptyOrOpenTagIsNone) {
  EXPECT_NE(slot_of("foo{}{bar}"), slot_of("bar"));
  EXPECT_NE(slot_of("foo{}{bar}"), slot_of(""));
  EXPECT_NE(slot_of("foo{bar"), slot_of("bar"));
  EXPECT_EQ(slot_of("foo{bar"), slot_of("{foo{bar}"));
}

}  // namespace
}  // namespace millrace::stores::testing
