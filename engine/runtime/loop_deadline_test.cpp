// A loop is never the reason for a late answer: C9, C10 and C11 with bodies that take virtual time.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "runtime/loop_scheduler.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// What a body does: spends time in chunks, and stops early if it looks and is not wanted.
struct Work {
  base::ManualClock* clock = nullptr;
  base::Duration time;
  bool looks = false;
  base::Duration chunk = milliseconds(1);
};

loop::Task<base::Status> fetch_at_once(NodeCall call) {
  static_cast<Notes*>(call.context())->order.emplace_back(call.node_id());
  co_return base::Status{};
}

class LoopDeadlineTest : public testing::Test {
 protected:
  static NodeSpec fetch() {
    NodeSpec spec = noting_node("fetch");
    spec.kind = NodeKind::kAsync;
    spec.body = nullptr;
    spec.async_body = [](const void*, NodeCall call) { return fetch_at_once(std::move(call)); };
    return spec;
  }
  NodeSpec working_node(Work work, std::vector<std::string> after = {"fetch"}) {
    NodeSpec spec = noting_node("work", std::move(after));
    work.clock = &lab.clock;
    spec.closure = std::make_shared<const Work>(work);
    spec.body = [](const void* closure, NodeCall& call) {
      const auto& self = *static_cast<const Work*>(closure);
      for (base::Duration spent{}; spent < self.time; spent += self.chunk) {
        self.clock->advance(std::min(self.chunk, self.time - spent));
        if (!self.looks || call.is_wanted()) continue;
        call.set_error(base::Error(base::ErrorCode::kCancelled, "not wanted"));
        return false;
      }
      static_cast<Notes*>(call.context())->order.emplace_back(call.node_id());
      return true;
    };
    return spec;
  }
  /// Lets the loop alone go on until it has nothing to do now.
  void settle_loop() { static_cast<void>(lab.loop.run_ready()); }
  [[nodiscard]] base::TimePoint in(base::Duration time) const { return lab.clock.now() + time; }
  [[nodiscard]] std::uint64_t on_workers() const { return lab.pool->counters().executed; }

  TestScheduler lab{{.compute_threads = 2, .loop_inline_budget = milliseconds(2)}};
  std::shared_ptr<Notes> notes = std::make_shared<Notes>();
};

TEST_F(LoopDeadlineTest, C9_ANodeThatWasNeverMeasuredDoesNotRunOnALoopWhateverThePlanSays) {
  NodeSpec hinted = working_node({.time = milliseconds(200)});
  hinted.inline_hint = InlineHint::kAlways;
  hinted.cost_estimate = microseconds(5);
  TestDag dag({fetch(), hinted});
  const RunHandle run = lab.submit(dag, notes, {.deadline = in(milliseconds(50))});
  settle_loop();
  EXPECT_EQ(run.outcome(), RunOutcome::kOpen);  // the node waits for a worker
  lab.loop.advance(milliseconds(50));
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
  EXPECT_EQ(notes->text(), "fetch");
  lab.settle();
}

TEST_F(LoopDeadlineTest, C9_ADeclaredCostAloneDoesNotInlineOnALoop) {
  NodeSpec declared = working_node({.time = milliseconds(200)});
  declared.cost_estimate = microseconds(5);
  TestDag dag({fetch(), declared});
  runtime::Run run(dag.topology(), dag.costs());
  EXPECT_TRUE(wants_inlining(run, dag.node("work"), {.threshold = microseconds(10)}, 0));
  EXPECT_FALSE(upper_cost_on_loop(run, dag.node("work"), {.threshold = microseconds(10)}, 0));
}

TEST_F(LoopDeadlineTest, C9_AHintStillInlinesWhatMeasuredShort) {
  NodeSpec hinted = working_node({.time = microseconds(20), .chunk = microseconds(20)});
  hinted.inline_hint = InlineHint::kAlways;
  TestDag dag({fetch(), hinted});
  dag.teach(microseconds(20));  // above the library's threshold: only the hint inlines it
  const RunHandle run = lab.submit(dag, notes, {.deadline = in(milliseconds(50))});
  settle_loop();
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  EXPECT_EQ(on_workers(), 0U);
}

TEST_F(LoopDeadlineTest, C9_TheUpperEstimateMustFitTheTimeThatIsLeft) {
  NodeSpec hinted = working_node({.time = microseconds(800), .chunk = microseconds(800)});
  hinted.inline_hint = InlineHint::kAlways;
  TestDag dag({fetch(), hinted});
  dag.teach(microseconds(800));
  const RunHandle tight = lab.submit(dag, notes, {.deadline = in(microseconds(900))});
  settle_loop();
  EXPECT_EQ(tight.outcome(), RunOutcome::kOpen) << "800 us and their spread do not fit 900 us";
  lab.settle();
  EXPECT_EQ(on_workers(), 1U);
  const RunHandle ample = lab.submit(dag, notes, {.deadline = in(milliseconds(10))});
  settle_loop();
  EXPECT_EQ(ample.outcome(), RunOutcome::kOk);
  EXPECT_EQ(on_workers(), 1U);
}

TEST_F(LoopDeadlineTest, C9_TheUpperEstimateMustFitTheBudgetOfTheLoopAndTheTimeout) {
  NodeSpec long_one = working_node({.time = milliseconds(3)});
  long_one.inline_hint = InlineHint::kAlways;
  NodeSpec timed = working_node({.time = microseconds(500), .chunk = microseconds(500)});
  timed.inline_hint = InlineHint::kAlways;
  timed.timeout = microseconds(400);
  for (const NodeSpec& spec : {long_one, timed}) {
    TestDag dag({fetch(), spec});
    dag.teach(spec.timeout ? microseconds(500) : milliseconds(3));
    const RunHandle run = lab.submit(dag, notes);
    settle_loop();
    EXPECT_EQ(run.outcome(), RunOutcome::kOpen);
    lab.settle();
  }
}

TEST_F(LoopDeadlineTest, C9_ACheapNodeRunsOnALoopWithinItsBoundOfRows) {
  NodeSpec cheap = working_node({.time = microseconds(1)});
  cheap.kind = NodeKind::kCheap;
  cheap.cheap_rows_max = 100;
  TestDag dag({fetch(), cheap});
  runtime::Run run(dag.topology(), dag.costs());
  EXPECT_TRUE(upper_cost_on_loop(run, dag.node("work"), {}, 100));
  EXPECT_FALSE(upper_cost_on_loop(run, dag.node("work"), {}, 101));
}

TEST_F(LoopDeadlineTest, C9_ABodyThatOverranIsNotInlinedAgainBeforeItMeasuredBelow) {
  NodeSpec hinted = working_node({.time = milliseconds(5)});
  hinted.inline_hint = InlineHint::kAlways;
  TestDag dag({fetch(), hinted});
  dag.teach(microseconds(20));
  const RunHandle first = lab.submit(dag, notes);
  settle_loop();
  EXPECT_EQ(on_workers(), 0U);  // it was thought to be short
  const RunHandle second = lab.submit(dag, notes);
  settle_loop();
  EXPECT_EQ(second.outcome(), RunOutcome::kOpen);
  lab.settle();
  EXPECT_EQ(on_workers(), 1U);
}

TEST_F(LoopDeadlineTest, C10_ABodyOnALoopSeesItsDeadlineAndTheAnswerGoesOutThen) {
  NodeSpec hinted = working_node({.time = milliseconds(200), .looks = true});
  hinted.inline_hint = InlineHint::kAlways;
  TestDag dag({fetch(), hinted});
  dag.teach(microseconds(20));
  const RunHandle run = lab.submit(dag, notes, {.deadline = in(milliseconds(50))});
  settle_loop();
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
  EXPECT_EQ(lab.clock.now(), base::TimePoint(milliseconds(50)));
  lab.settle();
}

TEST_F(LoopDeadlineTest, C9_ANodeThatHasToGiveUpNowDoesNotStartOnALoop) {
  // Its timer is due, but the loop comes to the node first.
  NodeSpec cheap = noting_node("cheap", {"first"});
  cheap.kind = NodeKind::kCheap;
  cheap.reserve = milliseconds(10);
  cheap.fallback = FallbackKind::kValue;
  cheap.fallback_body = [](const void*, NodeCall& call) {
    static_cast<Notes*>(call.context())->order.emplace_back("instead");
    return true;
  };
  NodeSpec first = working_node({.time = milliseconds(1)});
  first.id = "first";
  first.inline_hint = InlineHint::kAlways;
  TestDag dag({fetch(), first, cheap});
  dag.teach(microseconds(20));
  const RunHandle run = lab.submit(dag, notes, {.deadline = in(milliseconds(11))});
  lab.settle();
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  EXPECT_EQ(notes->text(), "fetch first instead");
}

TEST_F(LoopDeadlineTest, C10_ATimeoutThatPassedOnALoopTakesTheFallback) {
  NodeSpec slow = working_node({.time = milliseconds(200), .looks = true});
  slow.inline_hint = InlineHint::kAlways;
  slow.timeout = milliseconds(20);
  slow.fallback = FallbackKind::kValue;
  slow.fallback_body = [](const void*, NodeCall& call) {
    static_cast<Notes*>(call.context())->order.emplace_back("instead");
    return true;
  };
  TestDag dag({fetch(), slow, noting_node("after", {"work"})});
  dag.teach(microseconds(20));
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  EXPECT_EQ(notes->text(), "fetch instead after");
}

/// An async body that works on the loop instead of waiting, and looks whether it is wanted.
loop::Task<base::Status> work_on_loop(base::ManualClock& clock, NodeCall call) {
  for (int chunk = 0; chunk < 200; ++chunk) {
    clock.advance(milliseconds(1));
    if (!call.is_wanted()) co_return base::fail(base::ErrorCode::kCancelled, "not wanted");
  }
  co_return base::Status{};
}

TEST_F(LoopDeadlineTest, C10_AnAsyncBodyThatWorksOnTheLoopSeesItsDeadlineToo) {
  NodeSpec busy = noting_node("busy");
  busy.kind = NodeKind::kAsync;
  busy.body = nullptr;
  busy.closure = std::shared_ptr<const void>(std::shared_ptr<void>(), &lab.clock);
  busy.async_body = [](const void* closure, NodeCall call) {
    auto* const clock = static_cast<const base::ManualClock*>(closure);
    return work_on_loop(*const_cast<base::ManualClock*>(clock), std::move(call));
  };
  TestDag dag({busy});
  RunHandle run = lab.submit(dag, notes, {.deadline = in(milliseconds(50))});
  settle_loop();
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
  EXPECT_EQ(lab.clock.now(), base::TimePoint(milliseconds(50)));
  ASSERT_EQ(run.pending().size(), 1U);
  EXPECT_EQ(run.pending()[0].elapsed, milliseconds(50));
  lab.settle();
}

TEST_F(LoopDeadlineTest, C9_ANodeDoesNotMakeTheTimersOfOthersLate) {
  // The node fits the budget of a turn, but might hold up the deadline of another run for longer
  // than an answer may be late.
  NodeSpec hinted = working_node({.time = microseconds(800), .chunk = microseconds(800)});
  hinted.inline_hint = InlineHint::kAlways;
  TestDag dag({fetch(), hinted});
  dag.teach(microseconds(800));
  TestDag waiting({working_node({.time = milliseconds(1)}, {})});
  const RunHandle other = lab.submit(waiting, notes, {.deadline = in(microseconds(100))});
  const RunHandle first = lab.submit(dag, notes, {.deadline = in(milliseconds(50))});
  settle_loop();
  EXPECT_EQ(on_workers(), 0U);
  EXPECT_EQ(first.outcome(), RunOutcome::kOpen) << "the node waits for a worker";
  lab.settle();
}

TEST_F(LoopDeadlineTest, C12_ADeadlineTellsWhatTheRunWasWaitingFor) {
  NodeSpec slow = working_node({.time = milliseconds(30)}, {});
  TestDag dag({fetch(), slow, noting_node("queued"), noting_node("after", {"work"})});
  RunHandle run = lab.submit(dag, notes, {.deadline = in(milliseconds(50))});
  settle_loop();
  const DriverScope scope(lab.worker(0));
  lab.clock.advance(milliseconds(20));
  ASSERT_TRUE(lab.worker(0).start());  // from 20 to 50
  lab.clock.advance(milliseconds(1));
  settle_loop();
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
  const auto pending = run.pending();
  ASSERT_EQ(pending.size(), 2U);
  EXPECT_EQ(pending[0].node, dag.node("work"));
  EXPECT_TRUE(pending[0].was_running);
  EXPECT_EQ(pending[0].elapsed, milliseconds(31));
  EXPECT_EQ(pending[1].node, dag.node("queued"));
  EXPECT_FALSE(pending[1].was_running);
  lab.worker(0).finish();
  lab.settle();
}

TEST_F(LoopDeadlineTest, C11_ABodyThatNeverLooksMakesNoLateSuccess) {
  NodeSpec blind = working_node({.time = milliseconds(200)});
  blind.inline_hint = InlineHint::kAlways;
  TestDag dag({fetch(), blind});
  dag.teach(microseconds(20));
  const RunHandle run = lab.submit(dag, notes, {.deadline = in(milliseconds(50))});
  settle_loop();
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
  lab.settle();
}

TEST_F(LoopDeadlineTest, C11_ANodeThatReturnsAfterItsTimeoutDoesNotCountThoughItsTimerIsLate) {
  // The loop is busy with something else, so that no timer fires; a worker runs the body meanwhile.
  NodeSpec slow = working_node({.time = milliseconds(30)}, {});
  slow.timeout = milliseconds(20);
  TestDag dag({slow});
  const RunHandle run = lab.submit(dag, notes);
  while (lab.step(0) || lab.step(1)) {
  }
  EXPECT_EQ(run.outcome(), RunOutcome::kError);
  EXPECT_EQ(run.status().error().code(), base::ErrorCode::kTimeout);
  lab.settle();
}

TEST_F(LoopDeadlineTest, C11_ATimeoutCountsFromTheBeginOfItsNodeInAWarmRunToo) {
  // Nothing is measured or traced, so the nodes take the quick way: each has 20 ms of its own, and
  // the one between has no clock.
  auto first = working_node({.time = milliseconds(15)}, {});
  first.timeout = milliseconds(20);
  first.id = "first";
  auto between = working_node({.time = milliseconds(15)}, {"first"});
  between.id = "between";
  auto last = working_node({.time = milliseconds(15)}, {"between"});
  last.timeout = milliseconds(20);
  auto late = working_node({.time = milliseconds(25)}, {"work"});
  late.timeout = milliseconds(20);
  late.id = "late";
  TestDag in_time({first, between, last});
  TestDag too_late({first, between, last, late});
  for (TestDag* const dag : {&in_time, &too_late}) {
    dag->teach(milliseconds(15));
    static_cast<void>(lab.submit(*dag, notes));  // the first use of a run is measured
    lab.settle();
    dag->teach(milliseconds(15));
    notes->order.clear();
    const RunHandle run = lab.submit(*dag, notes);
    while (lab.step(0) || lab.step(1)) {
    }
    const bool is_late = dag == &too_late;
    EXPECT_EQ(run.outcome(), is_late ? RunOutcome::kError : RunOutcome::kOk);
    EXPECT_EQ(notes->text(), is_late ? "first between work late" : "first between work");
    EXPECT_EQ(run.run().late_completion_count(), is_late ? 1U : 0U);
    lab.settle();
  }
}

TEST_F(LoopDeadlineTest, C11_AnAnswerOfWorkersThatIsLateIsADeadlineThoughTheTimerIsLateToo) {
  TestDag dag({working_node({.time = milliseconds(60)}, {})});
  const RunHandle run = lab.submit(dag, notes, {.deadline = in(milliseconds(50))});
  while (lab.step(0) || lab.step(1)) {
  }
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
  lab.settle();
}

}  // namespace
}  // namespace millrace::runtime
