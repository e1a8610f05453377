#include "bridge/redis_link.h"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace millrace::bridge {
namespace {

using ::testing::HasSubstr;

// What real servers do is tested in tests/redis/graph_streams_test.cpp.
TEST(RedisLink, AServerThatIsNotThereIsUnavailable) {
  const auto link = make_redis_link({.address = {.unix_path = "/nowhere/redis.sock"}});
  const std::vector<std::string> ping{"PING"};
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto reply = link->call(ping, std::chrono::seconds(1));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code(), base::ErrorCode::kUnavailable);
    EXPECT_THAT(reply.error().message(), HasSubstr("Redis at unix:/nowhere/redis.sock"));
    EXPECT_THAT(reply.error().message(), HasSubstr("No such file"));
  }
}

}  // namespace
}  // namespace millrace::bridge
