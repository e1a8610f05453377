#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

TEST(SampleTest, TSK7_IsTheSameForTheSameSeed) {
  TaskRig rig;
  const auto choose = [&](std::uint64_t seed) {
    rig.request.seed = seed;
    return ids_of(rig.run({.op = "sample",
                           .params = {{"count", num(3)}},
                           .inputs = {rig.ids({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})}})
                      .value());
  };
  EXPECT_EQ(choose(1).size(), 3);
  EXPECT_EQ(choose(1), choose(1));
  EXPECT_NE(choose(1), choose(2));
}

TEST(SampleTest, TSK7_OwnSeedOutranksTheRequest) {
  TaskRig rig;
  const auto choose = [&](std::uint64_t seed) {
    rig.request.seed = seed;
    return ids_of(rig.run({.op = "sample",
                           .params = {{"rate", 0.5}, {"seed", num(7)}},
                           .inputs = {rig.ids({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})}})
                      .value());
  };
  EXPECT_EQ(choose(1), choose(2));
}

TEST(SampleTest, ART8_NeedsEitherCountOrRate) {
  TaskRig rig;
  EXPECT_FALSE(rig.prepare({.op = "sample", .inputs = {rig.ids({1})}}).has_value());
}

}  // namespace
}  // namespace millrace::tasks::testing
