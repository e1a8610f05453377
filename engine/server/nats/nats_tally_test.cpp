#include "server/nats/nats_tally.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/metrics/metrics_registry.h"
#include "observe/prometheus_writer.h"

namespace millrace::server {
namespace {

using ::testing::HasSubstr;

TEST(NatsTallyTest, NAT3_EveryFateOfARequestIsASeries) {
  base::MetricsRegistry registry;
  NatsTally tally(registry);
  for (int i = 0; i < 5; ++i) tally.count_received("home");
  tally.count_replied("home", 200);
  tally.count_replied("home", 503);
  tally.count_replied("home", 200);
  tally.count_no_reply();
  tally.count_undeliverable();
  tally.count_busy(true);
  tally.set_joined(3);
  std::string page;
  observe::append_metrics(registry.snapshot(), observe::format_for(""), page);
  EXPECT_THAT(page, HasSubstr("rankd_nats_received_total 5\n"));
  EXPECT_THAT(page, HasSubstr("rankd_nats_answers_total{outcome=\"replied\"} 3\n"));
  EXPECT_THAT(page, HasSubstr("rankd_nats_answers_total{outcome=\"no_reply\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("rankd_nats_answers_total{outcome=\"undeliverable\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("rankd_nats_busy_total{reason=\"left\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("rankd_nats_joined 3.0\n"));
  const auto endpoints = tally.endpoints({"home", "new"});
  EXPECT_EQ(endpoints[0].request_count, 5U);
  EXPECT_EQ(endpoints[0].error_count, 1U);
  EXPECT_EQ(endpoints[1].request_count, 0U);
}

}  // namespace
}  // namespace millrace::server
