// The alarm of a run object's deadlines stays set from one use to the next
// (protocols/standing_alarm.h).

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/clock.h"
#include "loop/fake_loop.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"

namespace millrace::runtime {
namespace {

using std::chrono::milliseconds;

class StandingDeadlineTest : public testing::Test {
 protected:
  [[nodiscard]] base::TimePoint in(base::Duration time) const { return lab.clock.now() + time; }
  RunHandle start(base::Duration budget) { return start_on(lab.loop, budget); }
  RunHandle start_on(loop::FakeLoop& loop, base::Duration budget) {
    auto handle = dag->runs().submit(*lab.pool, notes, {.deadline = in(budget), .loop = &loop}, {});
    MR_CHECK(handle.has_value());
    return *std::move(handle);
  }
  /// A use that ends long before its deadline.
  void use_once(base::Duration budget) {
    const RunHandle run = start(budget);
    lab.settle();
    EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  }

  TestScheduler lab{{.compute_threads = 1}};
  std::unique_ptr<TestDag> dag = std::make_unique<TestDag>(std::vector{noting_node("a")});
  std::shared_ptr<Notes> notes = std::make_shared<Notes>();
};

TEST_F(StandingDeadlineTest, C1_ALaterDeadlineThanTheAlarmIsKept) {
  use_once(milliseconds(10));
  const RunHandle run = start(milliseconds(15));
  lab.loop.advance(milliseconds(14));
  EXPECT_EQ(run.outcome(), RunOutcome::kOpen) << "the alarm went off for the use before";
  lab.loop.advance(milliseconds(1));
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
  EXPECT_EQ(dag->runs().created_count(), 1U);
  lab.settle();
}

TEST_F(StandingDeadlineTest, C1_AnEarlierDeadlineThanTheAlarmIsKept) {
  use_once(milliseconds(10));
  const RunHandle run = start(milliseconds(3));
  lab.loop.advance(milliseconds(3));
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
  lab.settle();
}

TEST_F(StandingDeadlineTest, TheAlarmIsSetOnceForManyUses) {
  const base::TimePoint first = in(milliseconds(10));
  for (int use = 0; use < 5; ++use) {
    use_once(milliseconds(10));
    EXPECT_EQ(lab.loop.next_deadline(), first);
    lab.clock.advance(milliseconds(1));
  }
  lab.loop.advance(milliseconds(10));
  EXPECT_EQ(lab.loop.next_deadline(), std::nullopt) << "nothing is set while nobody uses the run";
}

TEST_F(StandingDeadlineTest, AnAnswerThatIsOutStaysAsItIs) {
  const RunHandle run = start(milliseconds(10));
  lab.settle();
  lab.loop.advance(milliseconds(20));
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  EXPECT_TRUE(run.status().has_value());
}

TEST_F(StandingDeadlineTest, AUseWithoutADeadlineOutlivesTheAlarmOfTheOneBefore) {
  use_once(milliseconds(10));
  const auto run = dag->runs().submit(*lab.pool, notes, {.loop = &lab.loop}, {});
  ASSERT_TRUE(run.has_value());
  lab.loop.advance(milliseconds(20));
  EXPECT_EQ(lab.loop.next_deadline(), std::nullopt);
  EXPECT_EQ(run->outcome(), RunOutcome::kOpen);
  lab.settle();
  EXPECT_EQ(run->outcome(), RunOutcome::kOk);
  EXPECT_EQ(dag->runs().created_count(), 1U);
}

TEST_F(StandingDeadlineTest, ARunThatGoesTakesItsAlarmBack) {
  use_once(milliseconds(10));
  ASSERT_TRUE(lab.loop.next_deadline().has_value());
  dag.reset();
  EXPECT_EQ(lab.loop.next_deadline(), std::nullopt);
}

TEST_F(StandingDeadlineTest, TheAlarmMovesWithTheLoop) {
  use_once(milliseconds(10));
  loop::FakeLoop other(lab.clock);
  const RunHandle run = start_on(other, milliseconds(5));
  EXPECT_EQ(lab.loop.next_deadline(), std::nullopt);
  other.advance(milliseconds(5));
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
  lab.settle();
}

TEST_F(StandingDeadlineTest, ALoopThatStopsAnswersWhatIsUnderWayAndForgetsTheRest) {
  auto other = std::make_unique<loop::FakeLoop>(lab.clock);
  {
    const RunHandle run = start_on(*other, milliseconds(5));
    other.reset();
    EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
    lab.settle();
  }
  other = std::make_unique<loop::FakeLoop>(lab.clock);
  {
    const RunHandle run = start_on(*other, milliseconds(5));
    lab.settle();
    EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  }
  other.reset();
  use_once(milliseconds(10));
}

}  // namespace
}  // namespace millrace::runtime
