#include "server/nats/service_desk.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/metrics/metrics_registry.h"
#include "nats/link_fixture.h"

namespace millrace::server {
namespace {

using ::testing::HasSubstr;

TEST(ServiceDeskTest, NAT8_ServicesAreFoundByPingInfoAndStats) {
  base::MetricsRegistry registry;
  NatsTally tally(registry);
  nats::testing::FakeLink link;
  std::vector<NatsReply> sent;
  ServiceDesk desk({.tally = &tally,
                    .version = "1.0.0",
                    .group = "g",
                    .prefix = "rank",
                    .id = "ID1",
                    .send = [&](NatsReply reply) { sent.push_back(std::move(reply)); }});
  desk.set_plans({"home"});
  tally.count_received("home");
  desk.join(link);
  desk.join(link);
  EXPECT_EQ(link.deliver({.subject = "$SRV.STATS.rankd.ID1", .reply = "r"}), 1U);
  EXPECT_EQ(link.deliver({.subject = "$SRV.PING"}), 1U) << "nobody waits for this answer";
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].message.subject, "r");
  EXPECT_THAT(sent[0].message.data,
              HasSubstr(R"("subject":"rank.home","queue_group":"g","num_requests":1)"));
  desk.leave();
  EXPECT_EQ(link.deliver({.subject = "$SRV.PING", .reply = "r"}), 0U);
}

}  // namespace
}  // namespace millrace::server
