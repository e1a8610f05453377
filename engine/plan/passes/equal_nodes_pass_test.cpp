#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using EqualNodesPassTest = PlanFixture;

/// Two branches that fetch the same, then differ.
std::string branches(std::string_view settings = "", std::string_view fanout = "100") {
  return base::format(
      R"({{"id": "v", "op": "viewer", "params": {{"endpoint": "redis_default"}}}},
         {{"id": "a", "op": "follow", "inputs": ["v"], "params": {{"endpoint": "redis_default"}}{}}},
         {{"id": "b", "op": "follow", "inputs": ["v"], "params": {{"endpoint": "redis_default", "fanout": {}}}}},
         {{"id": "x", "op": "take", "inputs": ["a"], "params": {{"count": 1}}}},
         {{"id": "y", "op": "take", "inputs": ["b"], "params": {{"count": 2}}}},
         {{"id": "c", "op": "concat", "inputs": ["x"], "params": {{"rhs": "y"}}}})",
      settings,
      fanout);
}

TEST_F(EqualNodesPassTest, CMP2_IdenticalFetchesInTwoBranchesBecomeOne) {
  const auto plan = compile(artifact(branches(), R"("c")"));
  EXPECT_THAT(ids(*plan), ElementsAre("v", "a", "x", "y", "c"));
  EXPECT_THAT(notes(*plan, "equal_nodes"), ElementsAre("b is the same as a"));
  EXPECT_THAT(node(*plan, "a").source_ids, ElementsAre("a", "b"));
  EXPECT_EQ(std::get<NodeInput>(node(*plan, "y").inputs[0]).node, 1U);
}

TEST_F(EqualNodesPassTest, OtherParamsAreOtherFetches) {
  EXPECT_THAT(notes(*compile(artifact(branches("", "99"), R"("c")")), "equal_nodes"), IsEmpty());
}

TEST_F(EqualNodesPassTest, CMP3_LeavesOutputsAndNodesWithSettingsAlone) {
  EXPECT_THAT(notes(*compile(artifact(branches(R"(, "timeout_ms": 5)"), R"("c")")), "equal_nodes"),
              IsEmpty());
  EXPECT_THAT(notes(*compile(artifact(branches(), R"("c", "b")")), "equal_nodes"), IsEmpty());
}

TEST_F(EqualNodesPassTest, CMP4_CanBeSwitchedOffAndIsOffUnderExplain) {
  const std::string bytes = artifact(branches(), R"("c")");
  EXPECT_THAT(notes(*compile(bytes, {.merge_fetches = false}), "equal_nodes"), IsEmpty());
  EXPECT_THAT(notes(*compile(bytes, {.for_explain = true}), "equal_nodes"), IsEmpty());
}

TEST_F(EqualNodesPassTest, ChainsOfEqualNodesMergeAndExpressionsCompareByMeaning) {
  const auto plan = compile(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "a", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "id*2.0"}},
         {"id": "b", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": " id * 2.0 "}},
         {"id": "c", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "id * 3.0"}},
         {"id": "x", "op": "take", "inputs": ["a"], "params": {"count": 1}},
         {"id": "y", "op": "take", "inputs": ["b"], "params": {"count": 1}},
         {"id": "u", "op": "concat", "inputs": ["x", "y", "c"]})",
      R"("u")"));
  EXPECT_THAT(ids(*plan), ElementsAre("s", "a", "c", "x", "u"));
}

TEST_F(EqualNodesPassTest, ATaskThatIsNotShareableStaysApart) {
  const auto plan = compile(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "a", "op": "sample", "inputs": ["s"], "params": {"count": 1}},
         {"id": "b", "op": "sample", "inputs": ["s"], "params": {"count": 1}},
         {"id": "u", "op": "concat", "inputs": ["a", "b"]})",
      R"("u")"));
  EXPECT_THAT(ids(*plan), ElementsAre("s", "a", "b", "u"));
}

}  // namespace
}  // namespace millrace::plan
