#include "jobs/retry_rule.h"

#include <gtest/gtest.h>

namespace millrace::jobs {
namespace {

using std::chrono::seconds;

TEST(RetryRuleTest, JOB7_PausesDoubleUpToAMinute) {
  EXPECT_EQ(pause_after(1), seconds(1));
  EXPECT_EQ(pause_after(2), seconds(2));
  EXPECT_EQ(pause_after(5), seconds(16));
  EXPECT_EQ(pause_after(7), seconds(60));
  EXPECT_EQ(pause_after(1000), seconds(60));
}

TEST(RetryRuleTest, JOB7_OnlyWhatMayPassIsTriedAgain) {
  for (const rank::RankErrorEntry& entry : rank::error_table()) {
    const bool passes = entry.name == "endpoint_unavailable" || entry.name == "node_timeout" ||
                        entry.name == "busy";
    EXPECT_EQ(may_pass(entry.code), passes) << entry.name;
  }
}

}  // namespace
}  // namespace millrace::jobs
