#include "observe/metric_catalog.h"

#include <array>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/metrics/metrics_snapshot.h"
#include "observe/process_stats.h"

namespace millrace::observe {
namespace {

TEST(MetricCatalogTest, HasARowPerMetric) {
  static constexpr std::array<std::string_view, 2> kLabels{"plan", "outcome"};
  static constexpr base::MetricDescriptor kMetric{
      .name = "x_total", .help = "Counts.", .label_names = kLabels};
  const std::array<const base::MetricDescriptor*, 1> metrics{&kMetric};
  const std::array<MetricGroup, 1> groups{{{.title = "Things", .metrics = metrics}}};
  const std::string page = metrics_reference(groups);
  EXPECT_THAT(page, ::testing::HasSubstr("\n## Things\n"));
  EXPECT_THAT(page,
              ::testing::HasSubstr("| `x_total` | counter | `plan`, `outcome` | Counts. |\n"));
  EXPECT_THAT(page, ::testing::HasSubstr("0.0001, 0.00025, "));
}

TEST(MetricCatalogTest, TheListOfTheProcessIsWhatItShows) {
  std::vector<base::MetricSnapshot> shown;
  add_process_metrics(shown);
  std::set<std::string_view> names;
  for (const base::MetricSnapshot& metric : shown) names.insert(metric.descriptor.name);
  std::set<std::string_view> listed;
  for (const base::MetricDescriptor* const metric : process_metrics()) listed.insert(metric->name);
  EXPECT_EQ(names, listed);
}

}  // namespace
}  // namespace millrace::observe
