#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

TEST(StoreClientTest, CommandsHaveTheirRedisNames) {
  EXPECT_EQ(to_string(StoreCommand::kHashGetAll), "HGETALL");
  EXPECT_EQ(to_string(StoreCommand::kMultiGet), "MGET");
}

TEST(StoreClientTest, ManyKeysAreManyCommandsButOneMget) {
  rows::RowScratch scratch;
  EXPECT_EQ(
      command_count_of({.command = StoreCommand::kGet, .keys = make_keys({"a", "b"}, scratch)}), 2);
  EXPECT_EQ(command_count_of(
                {.command = StoreCommand::kMultiGet, .keys = make_keys({"a", "b"}, scratch)}),
            1);
}

}  // namespace
}  // namespace millrace::stores::testing
