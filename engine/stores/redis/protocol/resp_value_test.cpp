#include "stores/redis/protocol/resp_value.h"

#include <gtest/gtest.h>

#include "stores/redis/redis_fixture.h"

namespace millrace::stores::testing {
namespace {

TEST(RespValueTest, FindsValuesOfMapsAndOfArraysOfPairs) {
  const RespValue map = read_all("%2\r\n+a\r\n:1\r\n+b\r\n:2\r\n").front();
  EXPECT_EQ(map.find("b")->integer, 2);
  EXPECT_EQ(map.find("c"), nullptr);
  EXPECT_EQ(read_all("*2\r\n+a\r\n:1\r\n").front().find("a")->integer, 1);
}

TEST(RespValueTest, EmptyAggregatesAreElements) {
  EXPECT_EQ(read_all("*3\r\n*0\r\n%0\r\n:1\r\n").front().to_string(), "[[], map[], 1]");
}

}  // namespace
}  // namespace millrace::stores::testing
