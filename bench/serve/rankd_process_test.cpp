#include "bench/serve/rankd_process.h"

#include <gtest/gtest.h>

namespace millrace::bench {
namespace {

TEST(RankdProcessTest, AddsUpTheSeriesOfAMetric) {
  constexpr std::string_view kText =
      "# TYPE a_total counter\n"
      "a_total{x=\"1\"} 2\n"
      "a_total{x=\"2\"} 3.5\n"
      "a_total_more 100\n"
      "b 7";
  EXPECT_EQ(metric_of(kText, "a_total"), 5.5);
  EXPECT_EQ(metric_of(kText, "a_total", "x=\"2\""), 3.5);
  EXPECT_EQ(metric_of(kText, "b"), 7);
  EXPECT_FALSE(metric_of(kText, "c"));
}

TEST(RankdProcessTest, SaysWhyItDidNotStart) {
  const auto started = RankdProcess::serve({.arguments = {"--no-such-flag"}});
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().to_string().find("ended at once"), std::string::npos);
}

}  // namespace
}  // namespace millrace::bench
