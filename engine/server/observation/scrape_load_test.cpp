// Scrapes a server while its loops work, over real sockets.

#include <atomic>
#include <cstdint>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/observation/live_fixture.h"

namespace millrace::server {
namespace {

using ::testing::HasSubstr;
using testing::live_plan;
using testing::LiveClient;
using testing::LiveRig;

/// The sum of all samples of a metric on a page.
std::uint64_t sum_of(const std::string& page, const std::string& metric) {
  std::istringstream lines(page);
  std::uint64_t sum = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(metric)) continue;
    const char next = line[metric.size()];
    if (next != ' ' && next != '{') continue;
    sum += static_cast<std::uint64_t>(std::stod(line.substr(line.rfind(' '))));
  }
  return sum;
}

TEST(ScrapeLoadTest, S36_EveryScrapeBalancesWhileLoopsWork) {
  constexpr int kClients = 3;
  constexpr int kRequests = 150;
  LiveRig rig;
  rig.put("quick", R"({"schema_version":1,"name":"quick","nodes":[
    {"id":"src","op":"fixed_source","inputs":[],"params":{"row_count":2}}],
    "outputs":["src"],"output_keys":["id"]})");
  rig.start();
  std::atomic<int> running{kClients};
  std::vector<std::thread> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([&, client] {
      LiveClient connection(rig.server->addresses().front());
      const char* const priorities[] = {"high", "normal", "low", "background"};
      for (int request = 0; request < kRequests; ++request) {
        const std::string path = request % 2 == 0 ? "/v1/rank/quick" : "/v1/rank/live";
        const std::string body =
            base::format(R"({{"user_id":{},"priority":"{}"}})", client, priorities[request % 4]);
        (void)connection.ask("POST", path, request % 7 == 0 ? "{" : body);
      }
      running.fetch_sub(1);
    });
  }
  LiveClient scraper(rig.server->addresses().back());
  std::uint64_t last = 0;
  int scrapes = 0;
  std::string page;
  while (running.load() > 0 || scrapes < 2) {
    page = scraper.ask("GET", "/metrics").second;
    const std::uint64_t received = sum_of(page, "rankd_requests_received_total");
    ASSERT_EQ(received, sum_of(page, "rankd_requests_total") + sum_of(page, "rankd_inflight"));
    ASSERT_GE(received, last);
    last = received;
    ++scrapes;
  }
  for (std::thread& client : clients) client.join();
  page = scraper.ask("GET", "/metrics").second;
  EXPECT_EQ(sum_of(page, "rankd_requests_received_total"), kClients * kRequests);
  EXPECT_EQ(sum_of(page, "rankd_inflight"), 0U);
  EXPECT_EQ(sum_of(page, "rankd_request_duration_seconds_count"), kClients * kRequests);
  EXPECT_GT(sum_of(page, "rankd_node_rows_total"), 0U);
}

TEST(ScrapeLoadTest, S40_StatsHaveTheNamesOfTheSchedulerAndTrueValues) {
  LiveRig rig;
  rig.settings.cpu_threads = 3;
  rig.settings.high_water = 77;
  rig.start();
  LiveClient client(rig.server->addresses().front());
  for (const char* const priority : {"high", "high", "low"}) {
    const auto answer = client.ask(
        "POST", "/v1/rank/live", base::format(R"({{"user_id":1,"priority":"{}"}})", priority));
    ASSERT_EQ(answer.first, 200);
  }
  const std::string stats =
      LiveClient(rig.server->addresses().back()).ask("GET", "/v1/stats").second;
  EXPECT_THAT(stats, ::testing::StartsWith(R"({"lane":"plans",)"));
  const auto value = [&](const std::string& name) {
    const std::string key = "\"runtime.scheduler." + name + "\":";
    const std::size_t at = stats.find(key);
    return at == std::string::npos ? -1 : std::stod(stats.substr(at + key.size()));
  };
  // Two nodes for each request, and those of the warm-up.
  EXPECT_GE(value("completed_count"), 6);
  EXPECT_EQ(value("queue_depth"), 0);
  EXPECT_EQ(value("queue_capacity"), 77);
  EXPECT_EQ(value("worker_count"), 3);
  EXPECT_GE(value("active_count"), 0);
  EXPECT_EQ(value("in_flight_count"), 0);
  EXPECT_EQ(value("rejected_count"), 0);
  EXPECT_EQ(value("priority_high_count"), 2);
  EXPECT_EQ(value("priority_normal_count"), 0);
  EXPECT_EQ(value("priority_low_count"), 1);
  EXPECT_EQ(value("priority_background_count"), 0);
  EXPECT_EQ(value("low_priority_rejected_count"), 0);
  EXPECT_EQ(value("starvation_guard_count"), 0);
  EXPECT_EQ(value("last_callback_duration_ms"), 0) << "none was timed yet";
  for (int request = 0; request < 64; ++request)
    (void)client.ask("POST", "/v1/rank/live", R"({"user_id":1})");
  EXPECT_THAT(LiveClient(rig.server->addresses().back()).ask("GET", "/v1/stats").second,
              ::testing::Not(HasSubstr("\"runtime.scheduler.last_callback_duration_ms\":0,")));
}

}  // namespace
}  // namespace millrace::server
