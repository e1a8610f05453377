#include "server/descriptor_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::server {
namespace {

using ::testing::HasSubstr;

TEST(DescriptorLimitTest, S49_LimitsBeyondWhatTheProcessMayHaveKeepItFromStarting) {
  EXPECT_EQ(choose_descriptor_limit(1000, 4096, 4096).value(), 4096U);
  EXPECT_EQ(choose_descriptor_limit(10'000, 1024, 500'000).value(), 10'000U + kOtherDescriptors);
  EXPECT_EQ(choose_descriptor_limit(4096 - kOtherDescriptors, 1024, 4096).value(), 4096U);
  const auto refused = choose_descriptor_limit(4097 - kOtherDescriptors, 1024, 4096);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("lower server.connections_max"));
}

}  // namespace
}  // namespace millrace::server
