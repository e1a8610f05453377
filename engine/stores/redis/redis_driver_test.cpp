#include "stores/redis/redis_driver.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loop/event_loop.h"

namespace millrace::stores {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(RedisDriverTest, CLI3_AnEndpointThatCannotBeReachedIsToldWithAdvice) {
  const plan::EndpointInfo endpoint{.kind = plan::EndpointKind::kRedis,
                                    .unix_path = "/no/such/socket"};
  const auto answer = RedisDriver().probe({.endpoint = endpoint, .root = ""});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message(),
              AllOf(HasSubstr("/no/such/socket"), HasSubstr("--env dev")));
}

TEST(RedisDriverTest, AMissingPasswordKeepsTheClientFromBeingMade) {
  const auto loop = *loop::EventLoop::create("test");
  const plan::EndpointInfo endpoint{.kind = plan::EndpointKind::kRedis,
                                    .password_env = "MILLRACE_TEST_NOT_SET"};
  RedisDriver driver;
  const auto made = driver.connect({.endpoint = endpoint, .root = ""}, {.loop = *loop});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), HasSubstr("MILLRACE_TEST_NOT_SET"));
  loop->stop();
}

}  // namespace
}  // namespace millrace::stores
