#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using StrandsPassTest = PlanFixture;

TEST_F(StrandsPassTest, CMP1_NotesChainsOfCpuNodesAndBatchesOfFetches) {
  const auto plan = compile(
      artifact(std::string(kViewer) + "," + std::string(kFollow) +
                   R"(, {"id": "a", "op": "filter", "inputs": ["f"], "params": {"pred": "id > 1"}},
             {"id": "b", "op": "dedupe", "inputs": ["a"]},
             {"id": "c", "op": "take", "inputs": ["b"], "params": {"count": 3}})",
               R"("c")"));
  EXPECT_THAT(notes(*plan, "strands"), ElementsAre("at most one offload: a > b > c"));
  EXPECT_THAT(notes(*plan, "batches"), ElementsAre("one batch for all rows of f"));
}

TEST_F(StrandsPassTest, ANodeThatWaitsForMoreStartsAStrandOfItsOwn) {
  const auto plan = compile(artifact(
      R"({"id": "s", "op": "fixed_source"}, {"id": "u", "op": "fixed_source", "params": {"row_count": 2}},
         {"id": "c", "op": "concat", "inputs": ["s", "u"]}, {"id": "d", "op": "dedupe", "inputs": ["c"]})",
      R"("d")"));
  EXPECT_THAT(notes(*plan, "strands"), ElementsAre("at most one offload: c > d"));
  EXPECT_THAT(notes(*plan, "batches"), IsEmpty());
}

TEST_F(StrandsPassTest, CMP1_RequestsToAWebServerAreNoBatch) {
  const auto plan = compile(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "h", "op": "http_fetch", "inputs": ["s"], "params": {"endpoint": "web", "out_key": "boost"}},
         {"id": "o", "op": "hydrate", "inputs": ["h"], "params": {"endpoint": "redis_default"}})",
      R"("o")",
      R"(, "output_keys": ["boost", "name"])"));
  EXPECT_THAT(notes(*plan, "batches"), ElementsAre("one batch for all rows of o"));
}

TEST_F(StrandsPassTest, CMP1_ANodeThatIsQueuedEndsTheStrandBeforeIt) {
  const auto plan = compile(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "x", "op": "dedupe", "inputs": ["s"], "scheduling": {"inline": false}},
         {"id": "y", "op": "take", "inputs": ["x"], "params": {"count": 3}})",
      R"("y")"));
  EXPECT_THAT(notes(*plan, "strands"), ElementsAre("at most one offload: x > y"));
}

}  // namespace
}  // namespace millrace::plan
