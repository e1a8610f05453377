#include "stores/redis/cluster/cluster_split.h"

#include <string>

#include <gtest/gtest.h>

#include "stores/redis/cluster/slot_hash.h"
#include "stores/redis/redis_fixture.h"

namespace millrace::stores::testing {
namespace {

std::string command_text(const SplitCall& split, std::size_t piece) {
  return read_all(split.text_of(piece)).at(0).to_string();
}

TEST(ClusterSplitTest, RED11_EachCommandHasTheSlotOfItsKey) {
  TestCall call({{"LRANGE", "foo", "0", "9"}, {"GET", "bar"}, {"GET", ""}});
  const SplitCall split = split_call(call);
  ASSERT_EQ(split.pieces.size(), 3U);
  EXPECT_FALSE(split.is_multi_get);
  EXPECT_EQ(command_text(split, 0), R"(["LRANGE", "foo", "0", "9"])");
  EXPECT_EQ(command_text(split, 1), R"(["GET", "bar"])");
  EXPECT_EQ(split.pieces[0].slot, slot_of("foo"));
  EXPECT_EQ(split.pieces[1].slot, slot_of("bar"));
  EXPECT_EQ(split.pieces[2].slot, slot_of(""));
}

TEST(ClusterSplitTest, RED11_AnMgetBecomesOneForEachKey) {
  TestCall call({{"MGET", "foo", "bar"}});
  const SplitCall split = split_call(call);
  ASSERT_EQ(split.pieces.size(), 2U);
  EXPECT_TRUE(split.is_multi_get);
  EXPECT_EQ(command_text(split, 0), R"(["MGET", "foo"])");
  EXPECT_EQ(command_text(split, 1), R"(["MGET", "bar"])");
  EXPECT_EQ(split.pieces[1].slot, slot_of("bar"));
}

}  // namespace
}  // namespace millrace::stores::testing
