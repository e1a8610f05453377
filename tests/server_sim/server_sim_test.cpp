#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "judge.h"
#include "scenario.h"
#include "server_world.h"

namespace millrace::server_sim {
namespace {

constexpr std::uint64_t kSeedCount = 150;

TEST(ServerSimulationTest, EveryStatementHoldsInEveryWorld) {
  for (std::uint64_t seed = 0; seed < kSeedCount; ++seed) {
    const std::optional<Violation> violation = check_seed(seed);
    if (violation) {
      FAIL() << "seed " << seed << " breaks " << violation->statement << ": " << violation->message
             << "\n  ./dev sim --server --seed " << seed;
    }
  }
}

TEST(ServerSimulationTest, WorldsHaveAnswers) {
  std::uint64_t answers = 0;
  std::uint64_t equal_count = 0;
  std::uint64_t last_hash = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Scenario scenario = make_scenario(seed);
    ServerWorld world(scenario);
    ASSERT_FALSE(world.run());
    answers += world.good_answer_count();
    equal_count += world.log_hash() == last_hash ? 1 : 0;
    last_hash = world.log_hash();
  }
  EXPECT_GT(answers, 100U);
  EXPECT_EQ(equal_count, 0U);
}

}  // namespace
}  // namespace millrace::server_sim
