#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/param_value.h"
#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

plan::ParamValue order(std::vector<plan::OrderKey> keys) { return keys; }

TEST(SortTest, TSK7_OrdersByKeyThenId) {
  TaskRig rig;
  const auto rows = rig.run({.op = "sort",
                             .params = {{"key", text("score")}},
                             .inputs = {rig.scored({{3, 1.0}, {1, 2.0}, {2, 1.0}})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(2, 3, 1));
}

TEST(SortTest, TSK7_OrderIsTheDirectionOfTheKey) {
  TaskRig rig;
  const auto rows = rig.run({.op = "sort",
                             .params = {{"key", text("score")}, {"order", text("desc")}},
                             .inputs = {rig.scored({{3, 1.0}, {1, 2.0}, {2, 3.0}})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(2, 1, 3));
}

TEST(SortTest, TSK7_OrdersBySeveralKeys) {
  TaskRig rig;
  const auto rows =
      rig.run({.op = "sort",
               .params = {{"by", order({{.key = "score"}, {.key = "id", .descending = true}})}},
               .inputs = {rig.scored({{3, 1.0}, {1, 2.0}, {4, 1.0}})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(4, 3, 1));
}

TEST(SortTest, ART8_RefusesNoKeyAndTwoOrdersAtLoad) {
  TaskRig rig;
  EXPECT_FALSE(rig.prepare({.op = "sort", .inputs = {rig.ids({1})}}).has_value());
  EXPECT_FALSE(rig.prepare({.op = "sort",
                            .params = {{"key", text("id")}, {"by", order({{.key = "id"}})}},
                            .inputs = {rig.ids({1})}})
                   .has_value());
  EXPECT_FALSE(rig.prepare({.op = "sort",
                            .params = {{"by", order({{.key = "id"}})}, {"order", text("desc")}},
                            .inputs = {rig.ids({1})}})
                   .has_value());
}
}  // namespace
}  // namespace millrace::tasks::testing
