#include "stores/http/http_fetch_client.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/metrics/metric_binding.h"
#include "base/metrics/metrics_registry.h"
#include "base/metrics/metrics_snapshot.h"
#include "loop/fake_loop.h"
#include "net/fake_connector.h"
#include "net/http_client.h"
#include "plan/registry/registry.h"

namespace millrace::stores {
namespace {

using std::chrono::milliseconds;

// What a fetch does is told by the task that uses it: http_fetch_test.cpp.
TEST(HttpFetchClientTest, TakesTheEndpointsPolicy) {
  const plan::EndpointInfo endpoint{.name = "web",
                                    .kind = plan::EndpointKind::kHttp,
                                    .host = "h",
                                    .port = 8081,
                                    .policy = {.max_inflight = 7,
                                               .connections = 3,
                                               .connect_timeout = milliseconds(5),
                                               .request_timeout = milliseconds(9),
                                               .breaker_failures = 2,
                                               .breaker_open = milliseconds(11)}};
  const net::HttpClientOptions options = http_options_of(endpoint, "");
  EXPECT_EQ(to_string(options.address), "h:8081");
  EXPECT_EQ(options.inflight_max, 7U);
  EXPECT_EQ(options.idle_max, 3U);
  EXPECT_EQ(options.connect.connect_timeout, milliseconds(5));
  EXPECT_EQ(options.request_timeout, milliseconds(9));
  EXPECT_EQ(options.breaker.consecutive_failures_max, 2U);
  EXPECT_EQ(options.breaker.open_min, milliseconds(11));
}

TEST(HttpFetchClientTest, BindsItsCellsToTheSeriesOfItsEndpoint) {
  base::ManualClock clock;
  loop::FakeLoop loop{clock};
  net::FakeConnector connector{loop};
  base::MetricsRegistry metrics;
  const HttpFetchClient client(loop, connector, {}, 1);
  base::MetricBinding binding(metrics);
  client.bind_metrics(binding, "web");
  std::size_t series_count = 0;
  for (const base::MetricSnapshot& metric : metrics.snapshot()) {
    for (const base::SeriesSnapshot& series : metric.series) {
      ++series_count;
      EXPECT_EQ(series.label_values, std::vector<std::string>{"web"}) << metric.descriptor.name;
    }
  }
  EXPECT_EQ(series_count, 6U);
}

}  // namespace
}  // namespace millrace::stores
