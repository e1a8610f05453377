// What operators read of Redis: the line of each event, and what never stands in one.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log/log.h"
#include "base/log/log_sink.h"
#include "base/metrics/metric_binding.h"
#include "base/metrics/metrics_registry.h"
#include "base/metrics/metrics_snapshot.h"
#include "stores/redis/client_fixture.h"
#include "stores/redis/cluster/cluster_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

class RedisLogTest : public ::testing::Test {
 protected:
  RedisSettings settings() {
    RedisSettings settings = ClientRig::client_settings();
    settings.pool.endpoint = "users";
    settings.pool.log = &log_;
    return settings;
  }

  base::MemoryLogSink sink_;
  base::Logger log_{sink_};
};

TEST_F(RedisLogTest, AFirstConnectionIsNoNews) {
  ClientRig rig(settings());
  const auto batch = rig.get({"a"});
  rig.loop.run_ready();
  EXPECT_THAT(sink_.lines(), IsEmpty());
}

TEST_F(RedisLogTest, DebugShowsTheFirstConnectionToo) {
  base::Logger debug(sink_, {.level_min = base::LogLevel::kDebug});
  RedisSettings chatty = settings();
  chatty.pool.log = &debug;
  ClientRig rig(chatty);
  const auto batch = rig.get({"a"});
  rig.loop.run_ready();
  EXPECT_THAT(sink_.lines(),
              ElementsAre(HasSubstr(R"("level":"debug","msg":"Connected to Redis",)"
                                    R"("event":"redis_connected","endpoint":"users",)"
                                    R"("address":"h:1"})")));
}

TEST_F(RedisLogTest, ALostConnectionAndItsReturnAreLogged) {
  ClientRig rig(settings());
  const auto batch = rig.get({"a"});
  rig.loop.run_ready();
  rig.connector.peer(0).reset();
  rig.loop.advance(1s);
  ASSERT_EQ(sink_.lines().size(), 2U);
  EXPECT_THAT(sink_.lines()[0],
              HasSubstr(R"("level":"warn","msg":"A connection to Redis ended; it will be made )"
                        R"(again","event":"redis_connection_lost","endpoint":"users",)"
                        R"("address":"h:1","err":")"));
  EXPECT_THAT(sink_.lines()[1],
              HasSubstr(R"("level":"info","msg":"Redis can be reached again",)"
                        R"("event":"redis_connected","endpoint":"users","address":"h:1"})"));
}

TEST_F(RedisLogTest, AServerThatIsDownDoesNotFloodTheLog) {
  RedisSettings patient = settings();
  patient.pool.breaker.consecutive_failures_max = 0;
  ClientRig rig(patient);
  rig.is_down = true;
  const auto batch = rig.get({"a"});
  // Minutes of attempts, at one moment for the log.
  rig.loop.advance(100s);
  const std::vector<std::string> lines = sink_.lines();
  ASSERT_EQ(lines.size(), base::RepeatLimitOptions().burst_max);
  EXPECT_THAT(lines[0],
              HasSubstr(R"("level":"warn","msg":"Redis cannot be reached",)"
                        R"("event":"redis_connect_failed","endpoint":"users","address":"h:1",)"));
}

TEST_F(RedisLogTest, TheBreakerOfAnEndpointIsLoggedAndMeasured) {
  base::MetricsRegistry metrics;
  RedisSettings impatient = settings();
  impatient.pool.breaker.consecutive_failures_max = 2;
  ClientRig rig(impatient);
  base::MetricBinding binding(metrics);
  rig.client->bind_metrics(binding, "users");
  const auto open_count = [&metrics] {
    for (const base::MetricSnapshot& metric : metrics.snapshot()) {
      if (metric.descriptor.name == "rankd_endpoint_breaker_open") {
        return metric.series.at(0).value.value;
      }
    }
    return -1.0;
  };
  rig.is_down = true;
  const auto batch = rig.get({"a"});
  rig.loop.advance(100ms);
  EXPECT_EQ(open_count(), 1);
  EXPECT_THAT(sink_.lines(), Contains(HasSubstr(R"("event":"breaker_open","endpoint":"users")")));
  rig.is_down = false;
  rig.loop.advance(1s);
  EXPECT_EQ(open_count(), 0);
  EXPECT_THAT(sink_.lines(), Contains(HasSubstr(R"("event":"breaker_closed","endpoint":"users")")));
}

TEST_F(RedisLogTest, SecretsAreNotLoggedAndTextOfTheServerIsEscaped) {
  RedisSettings secret = settings();
  secret.pool.greeting.password = "hunter2";
  ClientRig rig(secret);
  rig.hello = "-WRONGPASS \"no\"\x1b[31m such user\r\n";
  const auto batch = rig.get({"a"});
  rig.loop.advance(100ms);
  ASSERT_FALSE(sink_.lines().empty());
  EXPECT_THAT(sink_.lines()[0], HasSubstr(R"("event":"redis_connect_failed")"));
  EXPECT_THAT(sink_.lines()[0], HasSubstr(R"(WRONGPASS \"no\"\u001b[31m such user)"));
  for (const std::string& line : sink_.lines()) EXPECT_THAT(line, Not(HasSubstr("hunter2")));
}

TEST_F(RedisLogTest, AClusterWithoutAMapAndANodeWithoutKeysAreLogged) {
  PoolSettings pool = RedisRig::pool_settings();
  pool.endpoint = "users";
  pool.log = &log_;
  ClusterRig rig(pool);
  rig.nodes[1].slots = "-ERR This instance has cluster support disabled\r\n";
  EXPECT_EQ(rig.outcome_of({{"GET", "a"}}), "node_failed");
  EXPECT_THAT(sink_.lines(),
              ElementsAre(HasSubstr(R"("event":"redis_cluster_map_failed","endpoint":"users",)"
                                    R"("address":"h:1","err":")")));
  rig.nodes[1].slots.reset();
  rig.loop.advance(200ms);
  rig.warm();
  rig.ranges = {{5460, 1}, {16383, 3}};
  EXPECT_EQ(rig.outcome_of({{"GET", "c"}}), R"("c@3" )");
  rig.loop.advance(200ms);
  EXPECT_THAT(sink_.lines().back(),
              HasSubstr(R"("level":"info","msg":"A node of the cluster has no keys any more: its )"
                        R"(connections are closed","event":"redis_cluster_node_dropped",)"
                        R"("endpoint":"users","address":"h:2"})"));
}

}  // namespace
}  // namespace millrace::stores::testing
