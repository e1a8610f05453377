#include "stores/redis/cluster/slot_map.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "stores/redis/redis_fixture.h"

namespace millrace::stores::testing {
namespace {

base::Result<SlotMap> read_map(std::string_view reply) {
  return SlotMap::read(read_all(reply).at(0), "asked");
}

TEST(SlotMapTest, RED11_MastersOwnSlotsAndReplicasAreKnown) {
  const auto map = read_map(
      "*2\r\n"
      "*4\r\n:0\r\n:99\r\n*3\r\n$1\r\na\r\n:1\r\n$2\r\nid\r\n*3\r\n$1\r\nb\r\n:2\r\n$2\r\nid\r\n"
      "*3\r\n:200\r\n:16383\r\n*2\r\n$-1\r\n:3\r\n");
  ASSERT_TRUE(map);
  EXPECT_EQ(to_string(*map->find_owner(0)), "a:1");
  EXPECT_EQ(to_string(*map->find_owner(99)), "a:1");
  EXPECT_EQ(map->find_owner(100), nullptr);
  EXPECT_EQ(to_string(*map->find_owner(16383)), "asked:3");
  EXPECT_EQ(map->nodes().size(), 3U);
  EXPECT_TRUE(map->is_owner({.host = "a", .port = 1}));
  EXPECT_FALSE(map->is_owner({.host = "b", .port = 2}));
  EXPECT_FALSE(map->is_owner({.host = "c", .port = 2}));
}

TEST(SlotMapTest, RED12_ASlotCanMove) {
  auto map = read_map("*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$1\r\na\r\n:1\r\n");
  ASSERT_TRUE(map);
  map->set_owner(7, {.host = "n", .port = 9});
  EXPECT_EQ(to_string(*map->find_owner(7)), "n:9");
  EXPECT_EQ(to_string(*map->find_owner(8)), "a:1");
}

TEST(SlotMapTest, RepliesOfAnotherFormAreRefused) {
  for (const std::string_view reply : {"*0\r\n",
                                       "-ERR no cluster\r\n",
                                       "*1\r\n:1\r\n",
                                       "*1\r\n*2\r\n:0\r\n:1\r\n",
                                       "*1\r\n*3\r\n:5\r\n:4\r\n*2\r\n$1\r\na\r\n:1\r\n",
                                       "*1\r\n*3\r\n:-1\r\n:4\r\n*2\r\n$1\r\na\r\n:1\r\n",
                                       "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\na\r\n:1\r\n",
                                       "*1\r\n*3\r\n:0\r\n:9\r\n*2\r\n$1\r\na\r\n:0\r\n",
                                       "*1\r\n*3\r\n:0\r\n:9\r\n*2\r\n$1\r\n?\r\n:1\r\n"}) {
    EXPECT_FALSE(read_map(reply)) << reply;
  }
}

}  // namespace
}  // namespace millrace::stores::testing
