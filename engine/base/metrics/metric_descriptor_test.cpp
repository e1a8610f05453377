#include "base/metrics/metric_descriptor.h"

#include <array>
#include <limits>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::base {
namespace {

using testing::HasSubstr;

constexpr std::array<std::string_view, 2> kTwoLabels{"plan", "node"};

MetricDescriptor usable() {
  return {.name = "rankd_requests_total", .help = "Requests.", .label_names = kTwoLabels};
}

std::string problem_of(const MetricDescriptor& descriptor) {
  const Status status = check(descriptor);
  return status ? "" : std::string(status.error().message());
}

TEST(MetricDescriptorTest, TakesNamesOfServersAndOfGraphs) {
  EXPECT_EQ(problem_of(usable()), "");
  MetricDescriptor graph = usable();
  graph.name = "runtime.scheduler.completed_count";
  EXPECT_EQ(problem_of(graph), "");
}

TEST(MetricDescriptorTest, RefusesNamesThatNoExporterCanWrite) {
  for (const std::string_view name : {"", "9_lives", "_x", "a b", "a{b=\"c\"}", "a\nb"}) {
    MetricDescriptor descriptor = usable();
    descriptor.name = name;
    EXPECT_THAT(problem_of(descriptor), HasSubstr("has an unusable name")) << name;
  }
}

TEST(MetricDescriptorTest, RefusesLabelsThatCannotBeWrittenOrToldApart) {
  MetricDescriptor descriptor = usable();
  const std::array<std::string_view, 1> dotted{"a.b"};
  descriptor.label_names = dotted;
  EXPECT_THAT(problem_of(descriptor), HasSubstr("has an unusable label"));
  const std::array<std::string_view, 1> bound{"le"};
  descriptor.label_names = bound;
  EXPECT_THAT(problem_of(descriptor), HasSubstr("reserved label 'le'"));
  const std::array<std::string_view, 2> twice{"plan", "plan"};
  descriptor.label_names = twice;
  EXPECT_THAT(problem_of(descriptor), HasSubstr("the same label twice: rankd_requests_total"));
}

TEST(MetricDescriptorTest, OnlyHistogramsHaveBucketsAndTheyAscend) {
  MetricDescriptor descriptor = usable();
  descriptor.bucket_bounds = kDurationBuckets;
  EXPECT_THAT(problem_of(descriptor), HasSubstr("if it is a histogram, and only then"));
  descriptor.kind = MetricKind::kHistogram;
  EXPECT_EQ(problem_of(descriptor), "");
  const std::array<double, 2> equal{1, 1};
  descriptor.bucket_bounds = equal;
  EXPECT_THAT(problem_of(descriptor), HasSubstr("do not ascend"));
  const std::array<double, 2> endless{1, std::numeric_limits<double>::infinity()};
  descriptor.bucket_bounds = endless;
  EXPECT_THAT(problem_of(descriptor), HasSubstr("do not ascend"));
}

TEST(MetricDescriptorTest, OnlyCountersHaveAScale) {
  MetricDescriptor descriptor = usable();
  descriptor.scale = 1e-9;
  EXPECT_EQ(problem_of(descriptor), "");
  descriptor.scale = 0;
  EXPECT_THAT(problem_of(descriptor), HasSubstr("not positive"));
  descriptor.scale = 2;
  descriptor.kind = MetricKind::kGauge;
  EXPECT_THAT(problem_of(descriptor), HasSubstr("is no counter"));
}

TEST(MetricDescriptorTest, RefusesAMetricWithoutHelp) {
  MetricDescriptor descriptor = usable();
  descriptor.help = "";
  EXPECT_THAT(problem_of(descriptor), HasSubstr("has no help"));
}

TEST(MetricDescriptorTest, SameMeansTheSameInEveryField) {
  EXPECT_TRUE(is_same(usable(), usable()));
  MetricDescriptor other = usable();
  other.unit = "seconds";
  EXPECT_FALSE(is_same(usable(), other));
  other = usable();
  other.label_names = {};
  EXPECT_FALSE(is_same(usable(), other));
}

TEST(MetricDescriptorTest, KindsHaveNames) {
  EXPECT_EQ(to_string(MetricKind::kCounter), "counter");
  EXPECT_EQ(to_string(MetricKind::kGauge), "gauge");
  EXPECT_EQ(to_string(MetricKind::kHistogram), "histogram");
}

}  // namespace
}  // namespace millrace::base
