#include "scheduler/ideal.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "scheduler/shape.h"

namespace millrace::bench {
namespace {

TEST(IdealTest, OneWorkerDoesAllTheWork) {
  EXPECT_EQ(ideal_makespan(make_wavefront(16), 1), 256U);
  EXPECT_EQ(list_schedule_makespan(make_wavefront(16), 1), 256U);
}

TEST(IdealTest, ChainDoesNotGetFasterWithWorkers) {
  EXPECT_EQ(ideal_makespan(make_chain(64), 8), 64U);
}

TEST(IdealTest, RankingAndLadderAreExactOnTwoWorkers) {
  EXPECT_EQ(ideal_makespan(make_ranking(), 2), 7U);
  EXPECT_EQ(list_schedule_makespan(make_ranking(), 2), 7U);
  EXPECT_EQ(ideal_makespan(make_diamond_ladder(64), 2), 129U);
  EXPECT_EQ(list_schedule_makespan(make_diamond_ladder(64), 2), 129U);
}

TEST(IdealTest, NarrowFanTakesHalfItsWidthRoundedUp) {
  for (NodeIndex width = 2; width <= 64; ++width) {
    EXPECT_EQ(ideal_makespan(make_narrow_fan(width), 2), (width + 1) / 2) << width;
    EXPECT_EQ(list_schedule_makespan(make_narrow_fan(width), 2), (width + 1) / 2) << width;
  }
}

TEST(IdealTest, IsNeverAboveAScheduleThatExists) {
  for (const Shape& shape : {make_fan(64),
                             make_binary_tree(255),
                             make_random_layered(200, 5),
                             make_mixed_latency(200, 5)}) {
    for (const unsigned workers : {1U, 2U, 3U}) {
      const std::uint64_t schedule = list_schedule_makespan(shape, workers);
      EXPECT_LE(ideal_makespan(shape, workers), schedule) << shape.name;
      // Graham's bound: a greedy schedule is less than twice the optimum.
      EXPECT_LT(schedule, 2 * ideal_makespan(shape, workers)) << shape.name;
    }
  }
}

}  // namespace
}  // namespace millrace::bench
