#include "graph/compile/config_check.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string with_config(std::string_view type, std::string_view config) {
  GraphText graph;
  graph.lanes = {"main: {type: fixed_rate}"};
  graph.components = {
      base::format("{{id: a, type: {}, execution: {{lane: main}}, config: {{{}}}}}", type, config)};
  return graph.text();
}

TEST(ConfigCheckTest, TakesWhatTheTypeDescribes) {
  EXPECT_THAT(diagnose(with_config("core.counter", "count: 3, start: -5, step: -1")), IsEmpty());
  EXPECT_THAT(diagnose(with_config("core.spend", "costs: [1ms, 2us], busy: true")), IsEmpty());
  EXPECT_THAT(diagnose(with_config("core.spend", "cost_ms: 5")), IsEmpty());
  EXPECT_THAT(
      diagnose(with_config("core.values", "values: [1, a, {b: 2}], timestamps_ms: [1, 2, 3]")),
      IsEmpty());
}

TEST(ConfigCheckTest, ReportsEveryMistake) {
  EXPECT_THAT(diagnose(with_config("core.spend", "cost: soon, busy: 1, cots: 1")),
              ElementsAre("bad_config components[0].config.cost 6:71",
                          "bad_config components[0].config.busy 6:83",
                          "bad_config components[0].config.cots 6:86"));
  EXPECT_THAT(diagnose(with_config("core.fail", "fail_at: [1, 0]")),
              ElementsAre("bad_config components[0].config.fail_at 6:73"));
  EXPECT_THAT(diagnose(with_config("core.counter", "per_invocation: 100000")), IsEmpty());
  EXPECT_THAT(diagnose(with_config("core.counter", "per_invocation: 100001")),
              ElementsAre("bad_config components[0].config.per_invocation 6:83"));
  EXPECT_THAT(diagnose(with_config("core.spend", "cost_ms: -1")),
              ElementsAre("bad_config components[0].config.cost_ms 6:74"));
}

}  // namespace
}  // namespace millrace::graph
