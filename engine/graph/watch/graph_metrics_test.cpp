#include "graph/watch/graph_metrics.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "base/metrics/metric_descriptor.h"

namespace millrace::graph {
namespace {

TEST(GraphMetrics, EveryMetricHasADescriptorWithTheAllowedLabelsOnly) {
  std::set<std::string_view> names;
  for (const base::MetricDescriptor& descriptor : runtime_metric_descriptors()) {
    EXPECT_TRUE(base::check(descriptor)) << descriptor.name;
    EXPECT_TRUE(names.insert(descriptor.name).second) << descriptor.name;
    EXPECT_TRUE(descriptor.name.starts_with("runtime."));
    for (const std::string_view label : descriptor.label_names) {
      EXPECT_TRUE(label == "lane" || label == "component_id" || label == "channel_id");
    }
  }
  for (const char* name : {"runtime.scheduler.tick_jitter_ms",
                           "runtime.component.timeout_budget_exceeded_count",
                           "runtime.trigger.rate_limit_suppressed_count",
                           "runtime.channel.deadline_miss_count",
                           "runtime.publication.discarded",
                           "runtime.loop.max_iterations_hit",
                           "runtime.task.in_flight_count",
                           "runtime.path.age_ms",
                           "runtime.config.rolled_back_update_count",
                           "runtime.trace.dropped_count"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

}  // namespace
}  // namespace millrace::graph
