#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using PassesTest = PlanFixture;

TEST_F(PassesTest, CMP1_EveryPassThatDidSomethingSaysSo) {
  const auto plan = compile(artifact(
      R"({"id": "v", "op": "viewer", "params": {"endpoint": "redis_default"}},
         {"id": "x", "op": "fixed_source"},
         {"id": "a", "op": "follow", "inputs": ["v"], "params": {"endpoint": "redis_default"}},
         {"id": "b", "op": "follow", "inputs": ["v"], "params": {"endpoint": "redis_default"}},
         {"id": "c", "op": "concat", "inputs": ["a", "b"]},
         {"id": "k", "op": "filter", "inputs": ["c"], "params": {"pred": "id > 1"}},
         {"id": "l", "op": "filter", "inputs": ["k"], "params": {"pred": "id < 9"}},
         {"id": "s", "op": "sort", "inputs": ["l"], "params": {"key": "id"}},
         {"id": "t", "op": "take", "inputs": ["s"], "params": {"count": 3}})",
      R"("t")"));
  std::vector<std::string> passes;
  for (const PassNote& note : plan->passes) passes.push_back(note.pass);
  EXPECT_THAT(
      passes,
      ElementsAre(
          "dead_nodes", "equal_nodes", "filters", "top_k", "columns", "strands", "batches"));
  EXPECT_THAT(ids(*plan), ElementsAre("v", "a", "c", "l", "t"));
}

TEST_F(PassesTest, CMP4_WithoutPassesEveryNodeStays) {
  const auto plan = compile(artifact(
                                R"({"id": "s", "op": "fixed_source"},
         {"id": "t", "op": "take", "inputs": ["s"], "params": {"count": 3}}, {"id": "x", "op": "fixed_source"})",
                                R"("t")"),
                            CompileOptions::without_passes());
  EXPECT_THAT(ids(*plan), ElementsAre("s", "t", "x"));
}

}  // namespace
}  // namespace millrace::plan
