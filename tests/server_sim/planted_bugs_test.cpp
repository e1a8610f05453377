#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include <gtest/gtest.h>

#include "judge.h"
#include "net/http/planted_bug.h"
#include "overload_check.h"
#include "server_world.h"

// Checks that the simulation of the server finds bugs. Each is planted in a copy of the server and
// must be found.

namespace millrace::server_sim {
namespace {

using net::PlantedServerBug;

constexpr std::uint64_t kSeedCount = 100;
constexpr int kFound = 17;

[[noreturn]] void report(std::uint64_t seed, const Violation& violation) {
  std::fprintf(stderr,
               "seed %d breaks %s: %s\n",
               static_cast<int>(seed),
               violation.statement.c_str(),
               violation.message.c_str());
  std::_Exit(kFound);
}

// Never returns, because a world with a bug in it cannot be destroyed in order.
[[noreturn]] void hunt(PlantedServerBug bug) {
  net::planted_server_bug = bug;
  for (std::uint64_t seed = 0; seed < kSeedCount; ++seed) {
    if (const std::optional<Violation> violation = check_seed(seed)) report(seed, *violation);
  }
  std::_Exit(EXIT_SUCCESS);
}

[[noreturn]] void hunt_in_overload(PlantedServerBug bug) {
  net::planted_server_bug = bug;
  if (const std::optional<Violation> violation = check_overload(1)) report(1, *violation);
  std::_Exit(EXIT_SUCCESS);
}

void expect_found(PlantedServerBug bug, const char* statement) {
  EXPECT_EXIT(hunt(bug), testing::ExitedWithCode(kFound), statement);
}

TEST(PlantedServerBugDeathTest, NoneIsFoundWhereThereIsNone) {
  EXPECT_EXIT(hunt(PlantedServerBug::kNone), testing::ExitedWithCode(EXIT_SUCCESS), "");
}
TEST(PlantedServerBugDeathTest, FindsConnectionsOnOneLoop) {
  expect_found(PlantedServerBug::kFirstLoopOnly, "breaks S3");
}
TEST(PlantedServerBugDeathTest, FindsFramingWithTwoReadings) {
  expect_found(PlantedServerBug::kTwoHosts, "breaks S6");
}
TEST(PlantedServerBugDeathTest, FindsADrainThatBreaksRequestsOff) {
  expect_found(PlantedServerBug::kBusyIsIdle, "breaks S47");
}
TEST(PlantedServerBugDeathTest, FindsRunsWithoutClients) {
  expect_found(PlantedServerBug::kForgottenCancel, "breaks S11");
}
TEST(PlantedServerBugDeathTest, FindsOldPlans) {
  expect_found(PlantedServerBug::kOldGeneration, "breaks S2(4|9)");
}
TEST(PlantedServerBugDeathTest, FindsAnUnorderedBatch) {
  expect_found(PlantedServerBug::kUnorderedBatch, "breaks S21");
}
TEST(PlantedServerBugDeathTest, FindsAGreedyBatch) {
  expect_found(PlantedServerBug::kGreedyBatch, "breaks S22");
}
TEST(PlantedServerBugDeathTest, FindsABatchThatEndsEarly) {
  expect_found(PlantedServerBug::kEarlyBatchEnd, "breaks S23");
}
TEST(PlantedServerBugDeathTest, FindsLinesWithoutClients) {
  expect_found(PlantedServerBug::kForgottenLines, "breaks S23");
}
TEST(PlantedServerBugDeathTest, FindsLinesThatDoNotWait) {
  expect_found(PlantedServerBug::kImpatientLine, "breaks S22");
}
TEST(PlantedServerBugDeathTest, FindsALimitThatDoesNotFollow) {
  EXPECT_EXIT(hunt_in_overload(PlantedServerBug::kDeafLimit),
              testing::ExitedWithCode(kFound),
              "breaks S31");
}

}  // namespace
}  // namespace millrace::server_sim
