#include "loop/fake_loop.h"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "loop/loop_fixture.h"

namespace millrace::loop {
namespace {

using std::chrono::milliseconds;

base::TimePoint at(int ms) { return base::TimePoint(milliseconds(ms)); }

TEST(FakeLoopTest, RunsJobsInOrderAndThoseTheyPost) {
  base::ManualClock clock;
  FakeLoop loop(clock);
  std::vector<int> log;
  FunctionJob third([&] { log.push_back(3); });
  FunctionJob first([&] {
    log.push_back(1);
    loop.post(third);
  });
  FunctionJob second([&] { log.push_back(2); });
  loop.post(first);
  loop.post(second);
  EXPECT_EQ(loop.run_ready(), 3u);
  EXPECT_EQ(log, (std::vector<int>{1, 2, 3}));
  EXPECT_FALSE(loop.run_one());
}

TEST(FakeLoopTest, ATurnRunsJobsForALimitedTimeAndThenTheTimersThatAreDue) {
  base::ManualClock clock;
  FakeLoop loop(clock);
  std::vector<int> log;
  FunctionTimer timer([&] { log.push_back(0); });
  FunctionJob first([&] {
    log.push_back(1);
    clock.advance(milliseconds(2));
  });
  FunctionJob second([&] { log.push_back(2); });
  loop.arm(timer, at(1));
  loop.post(first);
  loop.post(second);
  EXPECT_TRUE(loop.run_turn());
  EXPECT_EQ(log, (std::vector<int>{1, 0}));
  EXPECT_TRUE(loop.run_turn());
  EXPECT_EQ(log, (std::vector<int>{1, 0, 2}));
  EXPECT_FALSE(loop.run_turn());
}

TEST(FakeLoopTest, IsCurrentOnlyWhileItRunsSomething) {
  base::ManualClock clock;
  FakeLoop outer(clock), inner(clock);
  bool outer_in_inner = true, inner_in_inner = false, outer_after_inner = false;
  FunctionJob inner_job([&] {
    outer_in_inner = outer.is_current();
    inner_in_inner = inner.is_current();
  });
  FunctionJob outer_job([&] {
    inner.post(inner_job);
    inner.run_ready();
    outer_after_inner = outer.is_current();
  });
  outer.post(outer_job);
  EXPECT_FALSE(outer.is_current());
  outer.run_ready();
  EXPECT_FALSE(outer.is_current());
  EXPECT_TRUE(inner_in_inner);
  EXPECT_FALSE(outer_in_inner);
  EXPECT_TRUE(outer_after_inner);
}

TEST(FakeLoopTest, AdvancingStopsAtEveryDeadlineOnTheWay) {
  base::ManualClock clock;
  FakeLoop loop(clock);
  std::vector<base::TimePoint> seen;
  const auto note = [&] { seen.push_back(clock.now()); };
  FunctionTimer early(note), late(note), beyond(note);
  // Armed by a firing timer, still inside the span.
  FunctionTimer arming([&] {
    note();
    loop.arm(early, at(7));
  });
  loop.arm(late, at(9));
  loop.arm(arming, at(5));
  loop.arm(beyond, at(11));
  loop.advance_to(at(10));
  EXPECT_EQ(seen, (std::vector<base::TimePoint>{at(5), at(7), at(9)}));
  EXPECT_EQ(clock.now(), at(10));
  EXPECT_EQ(loop.next_deadline(), at(11));
  EXPECT_TRUE(loop.disarm(beyond));
}

TEST(FakeLoopTest, ReadyMeansAJobOrADueTimer) {
  base::ManualClock clock;
  FakeLoop loop(clock);
  FunctionTimer timer([] {});
  FunctionJob job([] {});
  EXPECT_FALSE(loop.has_ready());
  loop.arm(timer, at(5));
  EXPECT_FALSE(loop.has_ready());
  clock.set(at(5));
  EXPECT_TRUE(loop.has_ready());
  EXPECT_EQ(loop.run_ready(), 1u);
  loop.post(job);
  EXPECT_TRUE(loop.has_ready());
  loop.run_ready();
  EXPECT_FALSE(loop.has_ready());
}

TEST(FakeLoopTest, SaysWhenATimerWaitsForIt) {
  base::ManualClock clock;
  FakeLoop loop(clock);
  FunctionTimer timer([] {});
  EXPECT_FALSE(loop.has_due_timer());
  loop.arm(timer, at(5));
  EXPECT_EQ(loop.next_deadline(), at(5));
  EXPECT_FALSE(loop.has_due_timer());
  clock.set(at(5));
  EXPECT_TRUE(loop.has_due_timer());
  loop.run_ready();
  EXPECT_FALSE(loop.has_due_timer());
}

TEST(FakeLoopTest, ATimerInThePastFiresWithoutMovingTheClock) {
  base::ManualClock clock;
  clock.set(at(20));
  FakeLoop loop(clock);
  base::TimePoint fired_at;
  FunctionTimer timer([&] { fired_at = clock.now(); });
  loop.arm(timer, at(5));
  loop.advance(milliseconds(1));
  EXPECT_EQ(fired_at, at(20));
}

TEST(FakeLoopTest, EndingRunsJobsAndDropsTimers) {
  base::ManualClock clock;
  std::vector<int> log;
  FunctionJob job([&] { log.push_back(1); });
  FunctionTimer timer([&] { log.push_back(2); });
  {
    FakeLoop loop(clock);
    loop.arm(timer, at(0));
    loop.post(job);
  }
  EXPECT_EQ(log, std::vector<int>{1});
}

TEST(LoopThreadDeathTest, AssertCurrentStopsTheProcessElsewhere) {
  base::ManualClock clock;
  FakeLoop loop(clock);
  EXPECT_DEATH(loop.thread().assert_current(), "is_current");
}

}  // namespace
}  // namespace millrace::loop
