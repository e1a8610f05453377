// Every row with tiny sizes against real programs: answers are checked, times mean nothing.

#include "bench/nats/nats_rows.h"

#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

namespace millrace::bench {
namespace {

class NatsRowsTest : public ::testing::Test {
 protected:
  void run(base::Status (*measure)(NatsReport& report)) {
    const base::Status measured = measure(report);
    ASSERT_TRUE(measured) << measured.error().to_string();
  }
  /// The value of a row that must have a bar.
  double barred(std::string_view name) {
    const auto found = std::ranges::find(report.figures, name, &Figure::name);
    if (found == report.figures.end() || (!found->at_most && !found->at_least)) {
      ADD_FAILURE() << "No bar: " << name;
      return -1;
    }
    return found->value;
  }
  NatsReport report{.options = {.json_file = "", .smoke = true}};
};

TEST_F(NatsRowsTest, ATrivialPlanBesideAnEcho) {
  run(&measure_requests);
  EXPECT_GT(barred("trivial plan / echo"), 0);
  EXPECT_GT(barred("trivial plan / its answer, the quicker way"), 0);
}

TEST_F(NatsRowsTest, NAT5_TwoProcessesShareRequests) {
  run(&measure_shares);
  barred("two processes: off the half");
  barred("one process ten times slower: it gets, after 2 s");
  EXPECT_EQ(barred("one process ten times slower: no answer"), 0);
}

TEST_F(NatsRowsTest, JOB6_AWorkerBesideTheBenchAndTheStream) {
  run(&measure_batch);
  EXPECT_GT(barred("batch work / the lower of the two"), 0);
}

}  // namespace
}  // namespace millrace::bench
