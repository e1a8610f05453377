#include "stores/redis/redis_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/registry/registry.h"

namespace millrace::stores {
namespace {

TEST(RedisProbeTest, CLI3_SaysWhyAnEndpointCannotBeReached) {
  const auto took =
      probe_redis({.kind = plan::EndpointKind::kRedis, .unix_path = "/no/such/socket"}, "");
  ASSERT_FALSE(took);
  EXPECT_EQ(took.error().code(), base::ErrorCode::kUnavailable);
  EXPECT_THAT(took.error().message(), ::testing::HasSubstr("/no/such/socket"));
}

TEST(RedisProbeTest, CLI3_SaysWhichPasswordIsMissing) {
  const auto took = probe_redis(
      {.kind = plan::EndpointKind::kRedis, .password_env = "MILLRACE_TEST_NOT_SET"}, "");
  ASSERT_FALSE(took);
  EXPECT_THAT(took.error().message(), ::testing::HasSubstr("MILLRACE_TEST_NOT_SET"));
}

}  // namespace
}  // namespace millrace::stores
