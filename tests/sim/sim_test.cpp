#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "ledger.h"
#include "scenario.h"
#include "seed_check.h"
#include "sim_world.h"

namespace millrace::sim {
namespace {

constexpr std::uint64_t kSeedCount = 10'000;
constexpr SeedOptions kSmall{.nodes_max = 120};

// Checks: D5, by running timing-free seeds with inlining and chaining on and off.
TEST(SimulationTest, EveryStatementHoldsInEveryWorld) {
  for (std::uint64_t seed = 0; seed < kSeedCount; ++seed) {
    const std::optional<Violation> violation = check_seed(seed, kSmall);
    if (violation) {
      FAIL() << "seed " << seed << " breaks " << violation->statement << ": " << violation->message;
    }
  }
}

TEST(SimulationTest, SameSeedGoesTheSameWay) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Scenario scenario = make_scenario(seed, kSmall.nodes_max);
    SimWorld first(scenario, seed);
    SimWorld second(scenario, seed);
    ASSERT_FALSE(first.run());
    ASSERT_FALSE(second.run());
    ASSERT_EQ(first.log_hash(), second.log_hash()) << "seed " << seed;
  }
}

TEST(SimulationTest, WorldsDifferAndHaveBodies) {
  std::uint64_t body_count = 0;
  std::uint64_t equal_count = 0;
  std::uint64_t last_hash = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Scenario scenario = make_scenario(seed, kSmall.nodes_max);
    SimWorld world(scenario, seed);
    ASSERT_FALSE(world.run());
    body_count += world.body_count();
    equal_count += world.log_hash() == last_hash ? 1 : 0;
    last_hash = world.log_hash();
  }
  EXPECT_GT(body_count, 500U);
  EXPECT_EQ(equal_count, 0U);
}

}  // namespace
}  // namespace millrace::sim
