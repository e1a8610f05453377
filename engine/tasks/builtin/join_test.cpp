#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

TEST(JoinTest, E5_TSK7_AddsTheColumnsThatAreTakenUnderTheirNewNames) {
  TaskRig rig;
  const auto rows = rig.run(
      {.op = "join",
       .params = {{"rhs", plan::InputIndex{1}}},
       .inputs = {rig.scored({{1, 7.0}, {2, 7.0}, {3, 7.0}}), rig.scored({{3, 0.3}, {1, 0.1}})},
       .taken_columns = {{.to = "boost", .from = "score"}}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(1, 3));
  EXPECT_THAT(to_table(rows.value()).column("boost"), ElementsAre(0.1, 0.3));
  EXPECT_THAT(to_table(rows.value()).column("score"), ElementsAre(7.0, 7.0));
}

TEST(JoinTest, TSK7_AntiKeepsRowsWithoutAMatch) {
  TaskRig rig;
  const auto rows = rig.run({.op = "join",
                             .params = {{"rhs", plan::InputIndex{1}}, {"kind", text("anti")}},
                             .inputs = {rig.ids({1, 2, 3}), rig.ids({3, 1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(2));
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
