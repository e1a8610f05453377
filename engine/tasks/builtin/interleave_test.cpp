#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

TEST(InterleaveTest, TSK7_WeavesByPattern) {
  TaskRig rig;
  const auto rows = rig.run({.op = "interleave",
                             .params = {{"pattern", text("aab")}},
                             .inputs = {rig.ids({1, 2, 3}), rig.ids({7, 8})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(1, 2, 7, 3, 8));
}

TEST(InterleaveTest, TSK7_TakesTurnsByDefault) {
  TaskRig rig;
  const auto rows =
      rig.run({.op = "interleave", .inputs = {rig.ids({1, 2}), rig.ids({7, 8}), rig.ids({9})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(1, 7, 9, 2, 8));
}

TEST(InterleaveTest, TSK7_WeavesByWeights) {
  TaskRig rig;
  const auto rows = rig.run({.op = "interleave",
                             .params = {{"weights", std::vector<double>{1.0, 2.0}}},
                             .inputs = {rig.ids({1, 2}), rig.ids({7, 8, 9})}});
  EXPECT_EQ(rows.value().size(), 5);
  EXPECT_EQ(ids_of(rows.value()).front(), 7);
}

TEST(InterleaveTest, ART8_RefusesWhatDoesNotFitTheInputsAtLoad) {
  TaskRig rig;
  const auto refused = [&](std::map<std::string, plan::ParamValue> params) {
    return !rig.prepare(
        {.op = "interleave", .params = params, .inputs = {rig.ids({1}), rig.ids({2})}});
  };
  EXPECT_TRUE(refused({{"pattern", text("abc")}}));
  EXPECT_TRUE(refused({{"pattern", text("aa")}}));
  EXPECT_TRUE(refused({{"weights", std::vector<double>{1.0}}}));
  EXPECT_TRUE(refused({{"weights", std::vector<double>{1.0, 0.0}}}));
  EXPECT_TRUE(refused({{"weights", std::vector<double>{1.0, 1.0}}, {"pattern", text("ab")}}));
  EXPECT_FALSE(refused({{"pattern", text("ab")}}));
}

}  // namespace
}  // namespace millrace::tasks::testing
