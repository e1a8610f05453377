#include "server/observation/metric_pages.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "host/host_fixture.h"
#include "server/observation/metric_table.h"

namespace millrace::server {
namespace {

using ::testing::HasSubstr;

class MetricPagesTest : public ::testing::Test {
 protected:
  MetricPagesTest()
      : project(host::testing::open_project(settings)),
        engine(host::testing::start_engine(settings, *project)),
        front(engine->metrics()) {
    sources = {.engine = engine.get(), .fronts = {&front}};
  }
  host::Settings settings = host::testing::repository_settings();
  std::unique_ptr<host::Project> project;
  std::unique_ptr<host::Engine> engine;
  FrontMetrics front;
  MetricSources sources;
};

TEST_F(MetricPagesTest, S39_TheTableIsWhatAScrapeShows) {
  observe::ExemplarTable exemplars;
  std::set<std::string_view> shown;
  for (const base::MetricSnapshot& metric : all_metrics(sources, exemplars))
    EXPECT_TRUE(shown.insert(metric.descriptor.name).second) << metric.descriptor.name;
  std::set<std::string_view> listed;
  for (const observe::MetricGroup& group : metric_table()) {
    for (const base::MetricDescriptor* const metric : group.metrics) listed.insert(metric->name);
  }
  EXPECT_EQ(shown, listed);
}

TEST_F(MetricPagesTest, S39_BothFormatsAreMade) {
  const std::string text = metrics_page(sources, "");
  EXPECT_THAT(text, HasSubstr("\nrankd_requests_received_total 0\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE rankd_canary_share gauge\n"));
  EXPECT_THAT(text, HasSubstr("\nrankd_scheduler_queue_capacity{lane=\"plans\"} 8192.0\n"));
  EXPECT_THAT(metrics_page(sources, "application/openmetrics-text"),
              ::testing::EndsWith("# EOF\n"));
}

TEST_F(MetricPagesTest, S40_RefusalsAndClassesAreCounted) {
  front.count_shed(ShedReason::kLimit, runtime::Priority::kLow, {});
  front.count_shed(ShedReason::kLimit, runtime::Priority::kBackground, {});
  front.count_shed(ShedReason::kQuota, runtime::Priority::kHigh, {});
  front.ledger().begin(runtime::Priority::kBackground);
  front.end_rank(nullptr,
                 {.outcome = rank::RankOutcome::kDeadline,
                  .priority = runtime::Priority::kBackground,
                  .was_run = true});
  const std::string stats = stats_page(sources);
  EXPECT_TRUE(base::read_json(stats).has_value());
  EXPECT_THAT(stats, HasSubstr(R"("runtime.scheduler.rejected_count":3,)"));
  EXPECT_THAT(stats, HasSubstr(R"("runtime.scheduler.low_priority_rejected_count":2,)"));
  EXPECT_THAT(stats, HasSubstr(R"("runtime.scheduler.priority_background_count":1,)"));
  for (const char* const absent : {"tick", "lateness", "jitter", "blocked"})
    EXPECT_THAT(stats, ::testing::Not(HasSubstr(absent)));
}

}  // namespace
}  // namespace millrace::server
