#include "random_graph.h"

#include <cstdint>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_run.h"
#include "graph/format/graph_file.h"
#include "reference_run.h"
#include "shrink.h"

namespace millrace::graph_reference {
namespace {

/// What many graphs did together.
struct Coverage {
  std::uint64_t valid = 0;
  std::uint64_t printing = 0;
  std::set<std::string> metrics;  ///< above 0 in one of them, without label
  std::set<std::string> reasons;  ///< of stops, loops and errors
};

void add_outcome(const Outcome& outcome, Coverage& coverage) {
  if (!outcome.lines.empty()) ++coverage.printing;
  coverage.reasons.insert(outcome.stop_reason);
  coverage.reasons.insert(outcome.error_code);
  for (const auto& [loop, reason] : outcome.loop_stop_reasons) coverage.reasons.insert(reason);
  for (const auto& [name, value] : outcome.metrics) {
    if (value > 0) coverage.metrics.insert(name.substr(0, name.find('{')));
  }
}

// A generator that never makes what a rule is about would compare nothing.
TEST(RandomGraph, SeedsReachEveryCounterAndReason) {
  constexpr std::uint64_t kSeeds = 400;
  Coverage coverage;
  std::set<std::string> names;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const GraphModel model = make_random_graph(seed);
    std::string why;
    if (!is_valid(model.yaml(), why)) continue;
    ++coverage.valid;
    const graph::GraphFile file(model.yaml(), graph::TextFormat::kYaml, {});
    const Outcome outcome = run_reference(file.spec(), model.options);
    add_outcome(outcome, coverage);
    for (const auto& [name, value] : outcome.metrics) names.insert(name.substr(0, name.find('{')));
  }
  EXPECT_GE(coverage.valid, kSeeds * 9 / 10);
  EXPECT_GE(coverage.printing, coverage.valid * 6 / 10);
  for (const std::string& name : names) {
    EXPECT_TRUE(coverage.metrics.contains(name)) << name << " is always 0";
  }
  EXPECT_THAT(coverage.reasons,
              ::testing::IsSupersetOf({"tick_bound",
                                       "duration_bound",
                                       "idle",
                                       "error",
                                       "component_execute",
                                       "channel_overflow",
                                       "lane_overflow",
                                       "loop_not_converged",
                                       "single_pass",
                                       "residual_threshold",
                                       "stable_state",
                                       "budget_overrun",
                                       "max_iterations",
                                       "quiescent"}));
}

TEST(RandomGraph, EqualSeedsGiveEqualTexts) {
  EXPECT_EQ(make_random_graph(5).yaml(), make_random_graph(5).yaml());
  EXPECT_NE(make_random_graph(5).yaml(), make_random_graph(6).yaml());
}

TEST(RandomGraph, ShrinkingKeepsOnlyWhatMatters) {
  const auto has_pool = [](const GraphModel& model) {
    return model.yaml().find("type: thread_pool") != std::string::npos;
  };
  GraphModel model;
  for (std::uint64_t seed = 1; !has_pool(model); ++seed) model = make_random_graph(seed);
  const GraphModel small = shrink(model, has_pool);
  EXPECT_TRUE(has_pool(small));
  EXPECT_TRUE(small.components.empty());
  EXPECT_TRUE(small.edges.empty());
}

}  // namespace
}  // namespace millrace::graph_reference
