#include "graph/compile/domains.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/duration_text.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"
#include "graph/graph_fixture.h"
#include "graph/report/plan_report.h"

namespace millrace::graph {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

/// Compiles a graph with one component on each lane; gives `rank id (pace)` of each domain.
std::vector<std::string> domains_of(const std::vector<std::string>& lanes) {
  GraphText graph{.lanes = lanes};
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    graph.source(base::format("c{}", i),
                 base::format("lane: {}", lanes[i].substr(0, lanes[i].find(':'))));
  }
  std::vector<std::string> found;
  for (const DomainPlan& domain : compile_good(graph.text()).domains) {
    found.push_back(base::format("{} {}", domain.rank, domain_text(domain)));
  }
  return found;
}

TEST(DomainsTest, G58_LanesShareMainOrOwnADomain) {
  EXPECT_THAT(
      domains_of(
          {"iso: {type: isolated_thread}",
           "loop: {type: event_loop}",
           "hand: {type: manual_step}",
           "pool: {type: thread_pool}",
           "own: {type: fixed_rate, period: 5ms, wall_clock_enabled: true, independent: true}"}),
      ElementsAre("0 main (ready)", "1 iso (ready)", "2 hand (manual)", "3 own (grid, every 5ms)"));
}

TEST(DomainsTest, G58_AFixedRateLaneMakesMainSimulatedOrAGrid) {
  EXPECT_THAT(domains_of({"a: {type: event_loop}", "b: {type: fixed_rate}"}),
              ElementsAre("0 main (simulated)"));
  EXPECT_THAT(domains_of({"a: {type: fixed_rate, hz: 50}", "b: {type: fixed_rate, period: 40ms}"}),
              ElementsAre("0 main (simulated, every 20ms)"));
  // The cadence is the shortest period on the wall clock.
  EXPECT_THAT(domains_of({"a: {type: fixed_rate, period: 10ms}",
                          "b: {type: fixed_rate, period: 40ms, wall_clock_enabled: true}",
                          "c: {type: fixed_rate, period: 30ms, wall_clock_enabled: true}"}),
              ElementsAre("0 main (grid, every 30ms)"));
}

TEST(DomainsTest, G58_ADomainWithoutComponentsDoesNotExist) {
  GraphText graph;
  graph.lanes = {"main: {type: event_loop}", "iso: {type: isolated_thread}"};
  graph.source("a", "lane: iso");
  const CompiledGraph compiled = compile_good(graph.text());
  ASSERT_EQ(compiled.domains.size(), 1U);
  EXPECT_EQ(compiled.domains[0].id, "iso");
  EXPECT_EQ(compiled.domains[0].rank, 1U);
  EXPECT_EQ(compiled.lane_domain[0], kNoDomain);
}

TEST(DomainsTest, APositivePeriodWinsOverHz) {
  LaneSpec lane{.type = LaneType::kFixedRate, .hz = 100};
  EXPECT_EQ(lane_period(lane), 10ms);
  lane.period = 3ms;
  EXPECT_EQ(lane_period(lane), 3ms);
  EXPECT_EQ(lane_period({.hz = 1e-300}), kDurationMax);
}

TEST(DomainsTest, G3_G58_DataCrossesDomainsOnDeferredEdgesOnly) {
  GraphText graph;
  graph.lanes.push_back("iso: {type: isolated_thread}");
  graph.source("a").step("b", "lane: iso").edge("a", "b", "async").edge("b", "b", "delay");
  EXPECT_TRUE(compile_good(graph.text()).edges[0].crosses_domains);
}

}  // namespace
}  // namespace millrace::graph
