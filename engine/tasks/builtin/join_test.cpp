#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(JoinTest, TSK7_AddsColumnsOfTheMatch) {
  TaskRig rig;
  const auto rows = rig.run({.op = "join",
                             .params = {{"rhs", plan::InputIndex{1}}},
                             .inputs = {rig.ids({1, 2, 3}), rig.scored({{3, 0.3}, {1, 0.1}})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(1, 3));
  EXPECT_THAT(to_table(rows.value()).column("score"), ElementsAre(0.1, 0.3));
}

TEST(JoinTest, TSK7_AntiKeepsRowsWithoutAMatch) {
  TaskRig rig;
  const auto rows = rig.run({.op = "join",
                             .params = {{"rhs", plan::InputIndex{1}}, {"kind", text("anti")}},
                             .inputs = {rig.ids({1, 2, 3}), rig.ids({3, 1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(2));
}

TEST(JoinTest, TSK7_OverwritesNothingSilently) {
  TaskRig rig;
  const auto rows = rig.run({.op = "join",
                             .params = {{"rhs", plan::InputIndex{1}}},
                             .inputs = {rig.scored({{1, 0.5}}), rig.scored({{1, 0.7}})}});
  EXPECT_THAT(rows.error().message(), HasSubstr("score"));
}

TEST(JoinTest, ART8_RefusesUnequalKeyListsAtLoad) {
  TaskRig rig;
  const auto node =
      rig.prepare({.op = "join",
                   .params = {{"rhs", plan::InputIndex{1}}, {"rhs_by", texts({"a", "b"})}},
                   .inputs = {rig.ids({1}), rig.ids({1})}});
  EXPECT_EQ(node.error().code(), base::ErrorCode::kInvalidPlan);
}

}  // namespace
}  // namespace millrace::tasks::testing
