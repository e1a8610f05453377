#include "stores/redis/redis_endpoint.h"

#include <chrono>
#include <cstdlib>

#include <gtest/gtest.h>

#include "plan/registry/registry.h"

namespace millrace::stores::testing {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(RedisEndpointTest, TakesEverythingFromTheRegistry) {
  ASSERT_EQ(setenv("MILLRACE_TEST_PASSWORD", "secret", 1), 0);
  const plan::EndpointInfo endpoint{.name = "e",
                                    .kind = plan::EndpointKind::kRedis,
                                    .host = "h",
                                    .port = 7,
                                    .username = "u",
                                    .password_env = "MILLRACE_TEST_PASSWORD",
                                    .database = 2,
                                    .cluster = true,
                                    .tls = plan::EndpointTls{.ca_file = "ca.pem"},
                                    .policy = {.max_inflight = 9,
                                               .connections = 3,
                                               .connect_timeout = 5ms,
                                               .request_timeout = 6ms,
                                               .breaker_failures = 4,
                                               .single_flight = false,
                                               .hedge_after = 1ms,
                                               .cache_ttl = 2s,
                                               .cache_bytes = 10,
                                               .protocol = 2}};
  const auto settings = redis_settings_of(endpoint, "/base");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->pool.address.port, 7);
  EXPECT_EQ(settings->pool.greeting.username, "u");
  EXPECT_EQ(settings->pool.greeting.password, "secret");
  EXPECT_EQ(settings->pool.greeting.database, 2U);
  EXPECT_EQ(settings->pool.greeting.protocol, 2U);
  EXPECT_EQ(settings->pool.connect.tls->ca_file, "/base/ca.pem");
  EXPECT_EQ(settings->pool.connect.tls->key_file, "");
  EXPECT_EQ(settings->pool.connect.connect_timeout, 5ms);
  EXPECT_EQ(settings->pool.request_timeout, 6ms);
  EXPECT_EQ(settings->pool.connections, 3U);
  EXPECT_EQ(settings->pool.commands_max, 9U);
  EXPECT_EQ(settings->pool.breaker.consecutive_failures_max, 4U);
  EXPECT_TRUE(settings->cluster);
  EXPECT_FALSE(settings->single_flight);
  EXPECT_EQ(settings->hedge_after, 1ms);
  EXPECT_EQ(settings->cache_ttl, 2s);
  EXPECT_EQ(settings->cache_bytes_max, 10U);
}

TEST(RedisEndpointTest, AMissingPasswordIsAnError) {
  const auto settings = redis_settings_of({.password_env = "MILLRACE_TEST_NOT_SET"}, "");
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().code(), base::ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace millrace::stores::testing
