#include "rank/plan_load.h"

#include <chrono>

#include <gtest/gtest.h>

#include "base/random.h"

namespace millrace::rank {
namespace {

using namespace std::chrono_literals;

TEST(PlanLoadTest, S34_TheFastestTenthIsFoundAndFollowsThePlan) {
  PlanLoad load;
  base::SplitMix64 random(1);
  base::TimePoint now{1h};
  EXPECT_EQ(load.fastest_tenth(), base::Duration(0));
  const auto note = [&](std::uint64_t from_us) {
    for (int answer = 0; answer < 2000; ++answer) {
      load.note_answer(std::chrono::microseconds(from_us + random.below(100'000)), now);
      now += 1ms;
    }
  };
  note(10'000);  // from 10 to 110 ms: a tenth is below 20
  EXPECT_GT(load.fastest_tenth(), base::Duration(14ms));
  EXPECT_LT(load.fastest_tenth(), base::Duration(28ms));
  note(200'000);
  EXPECT_GT(load.fastest_tenth(), base::Duration(200ms));
  note(10'000);
  EXPECT_LT(load.fastest_tenth(), base::Duration(28ms));
}

TEST(PlanLoadTest, S34_OnlyPlansThatMayFailAreHopelessAndOnlyWhileTheirSpeedIsFresh) {
  PlanLoad load;
  const base::TimePoint now{1h};
  for (int answer = 0; answer < 40; ++answer) load.note_answer(10ms, now);
  EXPECT_FALSE(load.is_hopeless(now, now + 1ms));
  load.set_may_fail(true);
  EXPECT_TRUE(load.is_hopeless(now, now + 1ms));
  EXPECT_FALSE(load.is_hopeless(now, now + 11ms));
  EXPECT_FALSE(load.is_hopeless(now + 1s, now + 1s + 1ms));
}

TEST(PlanLoadTest, S34_ABusyPlanNotesSomeAnswersOnly) {
  PlanLoad load;
  const base::TimePoint now{1h};
  for (std::uint64_t answer = 0; answer < PlanLoad::kAnswersMin; ++answer)
    load.note_answer(10ms, now);
  for (int answer = 0; answer < 2000; ++answer) load.note_answer(1ms, now + 49us);
  EXPECT_EQ(load.fastest_tenth(), base::Duration(10ms));
  load.note_answer(1ms, now + PlanLoad::kNoteDistance);
  EXPECT_LT(load.fastest_tenth(), base::Duration(10ms));
}

TEST(PlanLoadTest, S33_PlacesAreLimitedAndComeBack) {
  PlanLoad load;
  PlanPlace first = load.try_enter(2);
  PlanPlace second = load.try_enter(2);
  EXPECT_TRUE(first.valid());
  EXPECT_TRUE(second.valid());
  EXPECT_FALSE(load.try_enter(2).valid());
  first = std::move(second);
  EXPECT_TRUE(load.try_enter(2).valid());
  first.release();
  first.release();
  EXPECT_TRUE(load.try_enter(1).valid());
}

}  // namespace
}  // namespace millrace::rank
