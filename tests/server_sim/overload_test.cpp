#include <cstdint>
#include <cstdlib>

#include <gtest/gtest.h>

#include "overload_check.h"

namespace millrace::server_sim {
namespace {

/// MILLRACE_OVERLOAD_SEEDS says how many.
std::uint64_t seed_count() {
  constexpr std::uint64_t kUsual = 4;
  const char* const text = std::getenv("MILLRACE_OVERLOAD_SEEDS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : kUsual;
}

TEST(ServerOverloadTest, S31_S50_TheLimitFollowsACapacityThatHalvesAndReturns) {
  for (std::uint64_t seed = 1; seed <= seed_count(); ++seed) {
    const auto violation = check_overload(seed);
    EXPECT_FALSE(violation) << "seed " << seed << ": " << violation->message;
  }
}

}  // namespace
}  // namespace millrace::server_sim
