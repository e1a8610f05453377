#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include <gtest/gtest.h>

#include "base/sync/planted_bug.h"
#include "ledger.h"
#include "seed_check.h"

// Checks that the simulator finds bugs. Each is planted in a copy of the scheduler and must be
// found.

namespace millrace::sim {
namespace {

using base::PlantedBug;

constexpr std::uint64_t kSeedCount = 300;
constexpr SeedOptions kSmall{.nodes_max = 60};
constexpr int kFound = 17;

// Never returns, because a world with a bug in it cannot be destroyed in order.
[[noreturn]] void hunt(PlantedBug bug, std::uint64_t seed_count = kSeedCount) {
  base::planted_bug = bug;
  for (std::uint64_t seed = 0; seed < seed_count; ++seed) {
    const std::optional<Violation> violation = check_seed(seed, kSmall);
    if (!violation) continue;
    std::fprintf(stderr,
                 "seed %d breaks %s: %s\n",
                 static_cast<int>(seed),
                 violation->statement.c_str(),
                 violation->message.c_str());
    std::_Exit(kFound);
  }
  std::_Exit(EXIT_SUCCESS);
}

TEST(PlantedBugDeathTest, NoneIsFoundWhereThereIsNone) {
  EXPECT_EXIT(hunt(PlantedBug::kNone), testing::ExitedWithCode(EXIT_SUCCESS), "");
}
TEST(PlantedBugDeathTest, FindsDoubleDecrement) {
  EXPECT_EXIT(hunt(PlantedBug::kDoubleDecrement), testing::ExitedWithCode(kFound), "breaks K2");
}
TEST(PlantedBugDeathTest, FindsLostWakeUp) {
  EXPECT_EXIT(hunt(PlantedBug::kLostWakeUp), testing::ExitedWithCode(kFound), "breaks D6");
}
TEST(PlantedBugDeathTest, FindsLatePublish) {
  EXPECT_EXIT(
      hunt(PlantedBug::kLatePublish), testing::ExitedWithCode(kFound), "breaks (C1|C2|C3|T3)");
}
TEST(PlantedBugDeathTest, FindsLeakedCredit) {
  EXPECT_EXIT(
      hunt(PlantedBug::kLeakedCredit), testing::ExitedWithCode(kFound), "breaks (K2|C2|C5)");
}
TEST(PlantedBugDeathTest, FindsLeakedPermit) {
  EXPECT_EXIT(hunt(PlantedBug::kLeakedPermit), testing::ExitedWithCode(kFound), "breaks B4");
}
TEST(PlantedBugDeathTest, FindsAStarvedClass) {
  EXPECT_EXIT(hunt(PlantedBug::kStarvedClass), testing::ExitedWithCode(kFound), "breaks P4");
}
TEST(PlantedBugDeathTest, FindsAForgottenStrand) {
  EXPECT_EXIT(
      hunt(PlantedBug::kForgottenStrand), testing::ExitedWithCode(kFound), "breaks (K2|C2|D7)");
}
TEST(PlantedBugDeathTest, FindsAnUncountedCall) {
  EXPECT_EXIT(hunt(PlantedBug::kUncountedCall), testing::ExitedWithCode(kFound), "breaks D6");
}
TEST(PlantedBugDeathTest, FindsAHostageBacklog) {
  EXPECT_EXIT(hunt(PlantedBug::kHostageBacklog), testing::ExitedWithCode(kFound), "breaks D6");
}
TEST(PlantedBugDeathTest, FindsAGreedyStrand) {
  EXPECT_EXIT(hunt(PlantedBug::kGreedyStrand), testing::ExitedWithCode(kFound), "breaks D4");
}
TEST(PlantedBugDeathTest, FindsALateQuickPublish) {
  EXPECT_EXIT(
      hunt(PlantedBug::kLateQuickPublish), testing::ExitedWithCode(kFound), "breaks (C1|C2)");
}
TEST(PlantedBugDeathTest, FindsAnIdleWatcher) {
  // Needs a body that takes far longer than measured while all other workers are idle.
  EXPECT_EXIT(hunt(PlantedBug::kIdleWatcher, 20 * kSeedCount),
              testing::ExitedWithCode(kFound),
              "breaks D6");
}
TEST(PlantedBugDeathTest, C11_FindsALateSuccess) {
  // Needs a loop that is held up while a worker finishes the run after its deadline.
  EXPECT_EXIT(hunt(PlantedBug::kLateSuccess, 10 * kSeedCount),
              testing::ExitedWithCode(kFound),
              "breaks C11");
}
TEST(PlantedBugDeathTest, C11_FindsALateReturn) {
  EXPECT_EXIT(hunt(PlantedBug::kLateReturn, 10 * kSeedCount),
              testing::ExitedWithCode(kFound),
              "breaks C11");
}
TEST(PlantedBugDeathTest, FindsPatientAdmission) {
  EXPECT_EXIT(hunt(PlantedBug::kPatientAdmission), testing::ExitedWithCode(kFound), "breaks B3");
}
TEST(PlantedBugDeathTest, FindsTracesThatDependOnTheHop) {
  EXPECT_EXIT(hunt(PlantedBug::kDepthInStart), testing::ExitedWithCode(kFound), "breaks D5");
}

}  // namespace
}  // namespace millrace::sim
