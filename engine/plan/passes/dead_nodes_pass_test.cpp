#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using DeadNodesPassTest = PlanFixture;

constexpr std::string_view kUnused =
    R"(, {"id": "x", "op": "fixed_source"}, {"id": "y", "op": "take", "inputs": ["x"], "params": {"count": 1}})";

TEST_F(DeadNodesPassTest, CMP2_RemovesNodesThatNoOutputNeeds) {
  const auto plan = compile(artifact(std::string(kViewer) + std::string(kUnused), R"("v")"));
  EXPECT_THAT(ids(*plan), ElementsAre("v"));
  EXPECT_THAT(notes(*plan, "dead_nodes"), ElementsAre("removed x, y"));
}

TEST_F(DeadNodesPassTest, CMP4_CanBeSwitchedOff) {
  const auto plan = compile(artifact(std::string(kViewer) + std::string(kUnused), R"("v")"),
                            {.remove_dead_nodes = false});
  EXPECT_THAT(ids(*plan), ElementsAre("v", "x", "y"));
  EXPECT_THAT(notes(*plan, "dead_nodes"), IsEmpty());
  // What they do is nothing to a request, as if they were not there.
  EXPECT_EQ(node(*plan, "x").on_failure, OnFailure::kUseEmpty);
  EXPECT_TRUE(node(*plan, "y").is_unused);
  EXPECT_EQ(node(*plan, "v").on_failure, OnFailure::kFail);
}

TEST_F(DeadNodesPassTest, KeepsFallbacksAndTheViewerThatExpressionsRead) {
  const auto plan = compile(artifact(std::string(kViewer) +
                                         R"(, {"id": "b", "op": "fixed_source"},
             {"id": "s", "op": "fixed_source", "on_failure": {"use": "node", "id": "b"}},
             {"id": "k", "op": "filter", "inputs": ["s"], "params": {"pred": "id != viewer.age"}})",
                                     R"("k")"));
  EXPECT_THAT(ids(*plan), ElementsAre("v", "b", "s", "k"));
  EXPECT_EQ(plan->viewer_node, 0U);
  EXPECT_THAT(node(*plan, "k").waits_for, ElementsAre(0U));
  EXPECT_EQ(node(*plan, "s").fallback_node, 1U);
}

TEST_F(DeadNodesPassTest, ForExplanationsWhatFetchesForNothingStaysAndCannotFailThePlan) {
  const auto plan = compile(artifact(std::string(kViewer) +
                                         R"(, {"id": "x", "op": "fixed_source"},
             {"id": "y", "op": "filter", "inputs": ["x"], "params": {"pred": "id > 1"}},
             {"id": "z", "op": "filter", "inputs": ["v"], "params": {"pred": "id > 1"}})",
                                     R"("v")"),
                            {.remove_dead_nodes = false, .for_explain = true});
  EXPECT_THAT(ids(*plan), ElementsAre("v", "x"));
  EXPECT_FALSE(node(*plan, "v").is_unused);
  EXPECT_TRUE(node(*plan, "x").is_unused);
  EXPECT_EQ(node(*plan, "x").on_failure, OnFailure::kUseEmpty);
  EXPECT_EQ(node(*plan, "v").on_failure, OnFailure::kFail);
}

TEST_F(DeadNodesPassTest, WhatOnlyDeadNodesReadIsNotReadByThePlan) {
  const auto plan = compile(artifact(
      std::string(kViewer) +
          R"(, {"id": "x", "op": "filter", "inputs": ["v"], "params": {"pred": "age > $weight"}})",
      R"("v")"));
  EXPECT_THAT(plan->params, IsEmpty());
}

}  // namespace
}  // namespace millrace::plan
