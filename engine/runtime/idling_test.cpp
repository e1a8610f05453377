#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

std::vector<NodeSpec> fan(int width) {
  std::vector<NodeSpec> specs{noting_node("source")};
  for (int node = 0; node < width; ++node)
    specs.push_back(noting_node("f" + std::to_string(node), {"source"}));
  return specs;
}

/// Lets an idle worker go through its spinning to its announcement.
IdleAction fall_asleep(TestScheduler& lab, std::uint32_t index) {
  Worker& worker = lab.worker(index);
  const DriverScope scope(worker);
  EXPECT_FALSE(worker.start());
  static_cast<void>(worker.idle());
  lab.clock.advance(lab.pool->config().spin_time);
  return worker.idle();
}

/// Does what a driver does when somebody has called its worker.
void wake_up(TestScheduler& lab, std::uint32_t index) {
  Worker& worker = lab.worker(index);
  ASSERT_FALSE(worker.spot().is_waiting());
  worker.unparked(worker.spot().wait(std::nullopt));
}

bool sleeps(TestScheduler& lab, std::uint32_t index) {
  return lab.worker(index).spot().is_waiting();
}

/// Submits from inside worker 0, which calls nobody for the run as such.
RunHandle submit_inside(TestScheduler& lab, TestDag& dag, const std::shared_ptr<Notes>& notes) {
  const DriverScope scope(lab.worker(0));
  return lab.submit(dag, notes);
}

TEST(PoolWakeTest, P5_OneItemCallsOneSleeper) {
  TestScheduler lab({.compute_threads = 4});
  TestDag dag(fan(2));  // the source's worker keeps one sibling and shares the other
  dag.teach(milliseconds(1));
  for (const std::uint32_t sleeper : {1U, 2U, 3U})
    ASSERT_EQ(fall_asleep(lab, sleeper).kind, IdleAction::Kind::kPark);
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = submit_inside(lab, dag, notes);
  std::uint32_t called = 0;
  for (const std::uint32_t sleeper : {1U, 2U, 3U}) called = sleeps(lab, sleeper) ? called : sleeper;
  ASSERT_NE(called, 0U);
  wake_up(lab, called);
  EXPECT_TRUE(lab.step(0));  // shares a sibling; the one that was called will find it
  EXPECT_EQ(lab.pool->counters().wakes, 1U);
  EXPECT_TRUE(lab.step(called));
  EXPECT_EQ(lab.pool->counters().stolen, 1U);
  lab.settle();
}

TEST(PoolWakeTest, D6_TheGainMissedSoFarAddsUpToAWake) {
  // One run is worth a hand-over but no wake; several are: ski rental.
  TestScheduler lab({.compute_threads = 2, .wake_price = microseconds(200)});
  TestDag dag(fan(8));
  dag.teach(microseconds(3));
  Notes notes;
  const auto run = [&] { ASSERT_TRUE(dag.runs().run(*lab.pool, &notes, {}).has_value()); };
  for (const std::uint32_t index : {0U, 1U}) static_cast<void>(lab.worker(index).idle());
  run();  // something happens, so those who sleep now keep watch
  lab.clock.advance(lab.pool->config().spin_time);
  for (const std::uint32_t index : {0U, 1U})
    ASSERT_TRUE(lab.worker(index).idle().timeout.has_value());
  run();
  EXPECT_EQ(lab.pool->counters().wakes, 0U);
  int runs = 1;
  while (lab.pool->counters().wakes == 0 && runs < 100) {
    run();
    ++runs;
  }
  // A run leaves at most 8 × 3 us to others, so 200 us are missed in no fewer than eight.
  EXPECT_GE(runs, 8);
  EXPECT_LT(runs, 20);
}

TEST(PoolWakeTest, D6_NobodySleepsOnWorkThatCameBeforeTheLastLook) {
  TestScheduler lab({.compute_threads = 1});
  Worker& worker = lab.worker(0);
  EXPECT_FALSE(worker.start());
  static_cast<void>(worker.idle());
  lab.clock.advance(lab.pool->config().spin_time);
  TestDag dag({noting_node("a")});
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);  // nobody sleeps yet: nobody is called
  EXPECT_EQ(worker.idle().kind, IdleAction::Kind::kRetry);
  EXPECT_FALSE(worker.spot().is_waiting());
  lab.settle();
  EXPECT_EQ(notes->text(), "a");
}

TEST(PoolWakeTest, D6_BesideABusyWorkerSleepHasALimit) {
  TestScheduler lab({.compute_threads = 2});
  TestDag dag(fan(1));
  dag.teach(std::chrono::nanoseconds(20));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  ASSERT_TRUE(lab.worker(0).start());  // in a body that may take longer than it did so far
  const IdleAction action = fall_asleep(lab, 1);
  EXPECT_EQ(action.kind, IdleAction::Kind::kPark);
  EXPECT_EQ(action.timeout, lab.pool->config().watch_period);
  ASSERT_TRUE(lab.worker(1).spot().cancel());
  lab.worker(1).unparked(false);
  lab.worker(0).finish();
  lab.settle();
  EXPECT_EQ(notes->order.size(), 2U);
}

TEST(PoolWakeTest, P6_WhenNothingHappensEveryoneSleepsForGood) {
  TestScheduler lab({.compute_threads = 3});
  for (const std::uint32_t index : {0U, 1U, 2U}) {
    const IdleAction action = fall_asleep(lab, index);
    EXPECT_EQ(action.kind, IdleAction::Kind::kPark);
    EXPECT_EQ(action.timeout, std::nullopt);
  }
  EXPECT_EQ(lab.pool->counters().parks, 3U);
}

// A caller with a deadline takes nothing but its own run. If it counted as searching, whoever
// submits something else would rely on it and wake nobody.
TEST(PoolWakeTest, D6_ACallerThatTakesOnlyItsOwnRunIsNotReliedOn) {
  TestScheduler lab({.compute_threads = 3});
  TestDag own({noting_node("own")});
  TestDag other({noting_node("other")});
  runtime::Run awaited(own.topology(), own.costs());
  Worker& caller = lab.worker(2);
  caller.take_only(&awaited);
  for (const std::uint32_t sleeper : {0U, 1U})
    ASSERT_EQ(fall_asleep(lab, sleeper).kind, IdleAction::Kind::kPark);
  // It looks for parts of its run, in vain.
  EXPECT_FALSE(caller.start());
  EXPECT_EQ(caller.idle().kind, IdleAction::Kind::kRetry);
  EXPECT_EQ(lab.pool->searching_count(), 0);
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(other, notes);
  EXPECT_FALSE(sleeps(lab, 0) && sleeps(lab, 1)) << "nobody was woken";
  EXPECT_FALSE(caller.start()) << "it must not take the other run";
  // Then it sleeps, and nobody wakes it for work that it would not take.
  lab.clock.advance(lab.pool->config().spin_time);
  EXPECT_EQ(caller.idle().kind, IdleAction::Kind::kPark);
  const RunHandle second = lab.submit(other, notes);
  const RunHandle third = lab.submit(other, notes);
  EXPECT_TRUE(sleeps(lab, 2));
  const std::int32_t searching = lab.pool->searching_count();
  EXPECT_TRUE(caller.spot().notify());  // its run is answered
  EXPECT_FALSE(sleeps(lab, 2));
  caller.unparked(caller.spot().wait(std::nullopt));
  caller.stop_idling();
  EXPECT_EQ(lab.pool->searching_count(), searching) << "it never counted";
  caller.take_only(nullptr);
  for (const std::uint32_t index : {0U, 1U}) {
    if (!sleeps(lab, index)) wake_up(lab, index);
  }
  lab.settle();
  EXPECT_EQ(notes->text(), "other other other");
}

}  // namespace
}  // namespace millrace::runtime
