#include <gtest/gtest.h>

#include "overload_check.h"

namespace millrace::server_sim {
namespace {

TEST(ServerOverloadTest, S31_S50_TheLimitFollowsACapacityThatHalvesAndReturns) {
  const auto violation = check_overload(1);
  EXPECT_FALSE(violation) << violation->message;
}

}  // namespace
}  // namespace millrace::server_sim
