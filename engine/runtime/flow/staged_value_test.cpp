#include "runtime/flow/staged_value.h"

#include <memory>

#include <gtest/gtest.h>

#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {
namespace {

NodeSpec staging_node(const char* id) {
  NodeSpec spec = noting_node(id);
  spec.make_staged = &TypedStagedValue<std::shared_ptr<int>>::make;
  return spec;
}

TEST(StagedValueTest, AClosedDoorKeepsTheBodyOut) {
  TypedStagedValue<int> staged;
  staged.close_input();
  EXPECT_FALSE(staged.try_begin_reading());
  staged.close_input();  // again, as two fallbacks may
  staged.reset();
  EXPECT_TRUE(staged.try_begin_reading());
}

TEST(StagedValueTest, ClosingAfterTheInputWasReadWaitsForNothing) {
  TypedStagedValue<int> staged;
  ASSERT_TRUE(staged.try_begin_reading());
  staged.end_reading();
  staged.close_input();
  EXPECT_FALSE(staged.try_begin_reading());
}

TEST(StagedValueTest, AValueThatNobodyCommittedIsDestroyedBeforeTheNextRun) {
  const auto value = std::make_shared<int>(7);
  const TestDag dag({noting_node("plain"), staging_node("staging")});
  StagedValues values(dag.topology());
  auto& staged = static_cast<TypedStagedValue<std::shared_ptr<int>>&>(values.at(1));
  staged.put(value);
  EXPECT_EQ(value.use_count(), 2);
  values.reset();
  EXPECT_EQ(value.use_count(), 1);
}

TEST(StagedValueTest, TakingGivesTheValueAway) {
  const auto value = std::make_shared<int>(7);
  TypedStagedValue<std::shared_ptr<int>> staged;
  staged.put(value);
  EXPECT_EQ(staged.take(), value);
  EXPECT_EQ(value.use_count(), 1);
}

using StagedValueDeathTest = testing::Test;

TEST(StagedValueDeathTest, OnlyNodesThatStageHaveAPlace) {
  const TestDag dag({noting_node("plain"), staging_node("staging")});
  const StagedValues values(dag.topology());
  EXPECT_DEATH(static_cast<void>(values.at(0)), "by_node_");
}

}  // namespace
}  // namespace millrace::runtime
