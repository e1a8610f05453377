#include "bench/capacity/guide_tables.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/capacity/cost_file.h"

namespace millrace::bench {
namespace {

using testing::HasSubstr;

std::string guide(const std::string& tables) {
  return "text\n<!-- made by ./dev capacity: begin -->\n" + tables +
         "<!-- made by ./dev capacity: end -->\nmore\n";
}

TEST(GuideTablesTest, SIZ5_NumbersMayDriftByOnePartInAHundred) {
  EXPECT_TRUE(check_tables(guide("| 100 | a |\n"), "| 100 | a |\n"));
  EXPECT_TRUE(check_tables(guide("| 100 | a |\n"), "| 100.9 | a |\n"));
  EXPECT_TRUE(check_tables(guide("| 100 | a |\n"), "| 99.1 | a |\n"));
  EXPECT_FALSE(check_tables(guide("| 100 | a |\n"), "| 98.9 | a |\n"));
  const auto drifted = check_tables(guide("| 100 | a |\n"), "| 101.1 | a |\n");
  ASSERT_FALSE(drifted);
  EXPECT_THAT(drifted.error().message(), HasSubstr("says 100 where the model gives 101.1"));
  EXPECT_FALSE(check_tables(guide("| 100 | a |\n"), "| 100 | b |\n"));
  EXPECT_FALSE(check_tables(guide("| 100 | a |\n"), "| 100 | a | 5 |\n"));
}

TEST(GuideTablesTest, TablesAreReplacedBetweenTheMarks) {
  EXPECT_EQ(with_tables(guide("old\n"), "new\n").value(), guide("new\n"));
  const auto unmarked = with_tables("text\n", "new\n");
  ASSERT_FALSE(unmarked);
  EXPECT_THAT(unmarked.error().message(), HasSubstr("lacks the lines"));
}

TEST(CostFileTest, ReadsWhatABenchWrites) {
  const auto cost =
      read_cost(R"({"plan": "p", "cpu_us_per_request": 50.5, "round_trips_per_request": 2.1,)"
                R"("commands_per_request": 12, "redis_us_per_command": 3})");
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->cpu_seconds, 50.5e-6, 1e-12);
  EXPECT_EQ(cost->rounds, 2U);
  EXPECT_EQ(cost->keys_per_round, 6U);
  EXPECT_NEAR(cost->command_seconds, 3e-6, 1e-12);
}

TEST(CostFileTest, RefusesWhatMakesNoSense) {
  EXPECT_THAT(read_cost("{").error().where(), HasSubstr("1:2"));
  const auto negative = read_cost(R"({"cpu_us_per_request": -1})");
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().where(), "cpu_us_per_request");
  EXPECT_FALSE(read_cost(R"({"wire_us": "x"})"));
  EXPECT_FALSE(read_cost(R"({"commands_per_request": 1e9})"));
}

}  // namespace
}  // namespace millrace::bench
