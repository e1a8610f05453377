#include "jobs/progress.h"

#include <chrono>

#include <gtest/gtest.h>

namespace millrace::jobs {
namespace {

TEST(ProgressTest, JOB9_ALineShowsShareRateAndTimeLeft) {
  EXPECT_EQ(progress_line({.done = 600, .total = 1000, .per_second = 120}, 10),
            "[######    ] 60% 600/1000 120/s, 4 s left");
  EXPECT_EQ(progress_line({.done = 0, .total = 3}, 4), "[    ] 0% 0/3");
  EXPECT_EQ(progress_line({.done = 3, .total = 3, .per_second = 5}, 4), "[####] 100% 3/3 5/s");
  EXPECT_EQ(progress_line({.done = 5, .total = 3}, 4), "[####] 100% 5/3");
  EXPECT_EQ(progress_line({.done = 0, .total = 36'000, .per_second = 1}, 1),
            "[ ] 0% 0/36000 1/s, 10 h left");
}

TEST(ProgressTest, JOB9_TheRateFollowsTheCount) {
  RateMeter meter;
  base::TimePoint now{};
  EXPECT_EQ(meter.add(now, 100), 0);
  EXPECT_EQ(meter.add(now + std::chrono::seconds(1), 200), 100);
  EXPECT_EQ(meter.add(now + std::chrono::milliseconds(1100), 900), 100) << "too soon to say";
  EXPECT_NEAR(meter.add(now + std::chrono::seconds(2), 200), 70, 0.01);
}

}  // namespace
}  // namespace millrace::jobs
