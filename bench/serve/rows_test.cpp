// Every row with tiny sizes against the program `rankd`: answers are checked, times mean nothing.

#include "bench/serve/rows.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "support/allocation_count.h"

namespace millrace::bench {
namespace {

class ServeRowsTest : public ::testing::Test {
 protected:
  void run(base::Status (*measure)(ServeReport& report)) {
    const base::Status measured = measure(report);
    ASSERT_TRUE(measured) << measured.error().to_string();
  }
  /// The value of a row that must have a bar.
  double barred(std::string_view name) {
    const auto found = std::ranges::find_if(
        report.figures, [&](const Figure& figure) { return figure.name.starts_with(name); });
    if (found == report.figures.end() || (!found->at_most && !found->at_least)) {
      ADD_FAILURE() << "No bar: " << name;
      return -1;
    }
    return found->value;
  }
  ServeReport report{.options = {.json_file = "", .smoke = true}};
};

TEST_F(ServeRowsTest, S54_ATrivialPlanBesideTheBareHandlerAndTheEcho) {
  run(&measure_layer);
  EXPECT_GT(barred("S54 bare handler / echo"), 0);
  EXPECT_GT(barred("S54 trivial plan / bare handler"), 0);
  EXPECT_GT(barred("S58 two loops / one loop"), 0);
}

TEST_F(ServeRowsTest, S55_ComplexDagOverHttpBesideTheBenchAndAllocations) {
  run(&measure_engine);
  barred("S55 HTTP adds to complex_dag");
  if (!allocation_count()) return;
  EXPECT_LE(barred("S55 allocations of a warm request"), 4);
}

TEST_F(ServeRowsTest, S56_MetricsLinesTracesAndScrapes) {
  run(&measure_observation);
  EXPECT_GT(barred("S56 trivial plan: metrics / none"), 0);
  EXPECT_GT(barred("S56 trivial plan: metrics, line, 1 % traces / none"), 0);
  EXPECT_GT(barred("S56 scrape of it"), 0);
}

TEST_F(ServeRowsTest, S35_RefusalsBesideTheBareHandler) {
  run(&measure_refusals);
  EXPECT_GT(barred("S35 refusal / bare handler"), 0);
  EXPECT_GT(barred("S35 refusals within 1 ms"), 0);
}

TEST_F(ServeRowsTest, S57_S31_AnOpenLoadBeyondThePeakAndAChange) {
  run(&measure_overload);
  EXPECT_GT(barred("S57 goodput at 3 x peak"), 0);
  EXPECT_GT(barred("S57 p99 at 3 x peak / at half"), 0);
  EXPECT_EQ(barred("answers other than 200 and 503"), 0);
  EXPECT_NE(report.extra.find("\"curve\":["), std::string::npos);
  EXPECT_NE(report.extra.find("\"change\":["), std::string::npos);
}

TEST_F(ServeRowsTest, S58_ReloadsFailNoRequest) {
  run(&measure_reloads);
  EXPECT_EQ(barred("S58 2 reloads at half load"), 0);
  EXPECT_GT(barred("S58 p99 during reloads / without"), 0);
}

TEST_F(ServeRowsTest, S58_ConnectionsThatRest) {
  run(&measure_idle);
  barred("S58 20 idle connections for 10 s");
  barred("S58 memory of an idle connection");
  barred("S58 memory of an idle connection with TLS");
}

}  // namespace
}  // namespace millrace::bench
