#include "runtime/loop_scheduler.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/awaitables.h"
#include "loop/loop.h"
#include "loop/loop_fixture.h"
#include "loop/task.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using testing::HasSubstr;

/// What an async test node waits for.
struct Wait {
  loop::Loop* loop;
  base::Duration time;
};

loop::Task<base::Status> wait_and_note(Wait wait, NodeCall call) {
  MR_CO_TRY_STATUS(co_await loop::sleep_for(*wait.loop, wait.time, call.stop_token()));
  static_cast<Notes*>(call.context())->order.emplace_back(call.node_id());
  co_return base::Status{};
}

class LoopSchedulerTest : public testing::Test {
 protected:
  NodeSpec async_node(std::string id, base::Duration time, std::vector<std::string> after = {}) {
    NodeSpec spec = noting_node(std::move(id), std::move(after));
    spec.kind = NodeKind::kAsync;
    spec.body = nullptr;
    spec.closure = std::make_shared<const Wait>(Wait{&lab.loop, time});
    spec.async_body = [](const void* closure, NodeCall call) {
      return wait_and_note(*static_cast<const Wait*>(closure), std::move(call));
    };
    return spec;
  }
  static NodeSpec with_value_fallback(NodeSpec spec) {
    spec.fallback = FallbackKind::kValue;
    spec.fallback_body = [](const void*, NodeCall& call) {
      static_cast<Notes*>(call.context())
          ->order.push_back("instead_of_" + std::string(call.node_id()));
      return true;
    };
    return spec;
  }
  void advance(base::Duration time) {
    const base::TimePoint end = lab.clock.now() + time;
    lab.settle();
    for (auto next = lab.loop.next_deadline(); next && *next <= end;
         next = lab.loop.next_deadline()) {
      lab.loop.advance_to(std::max(*next, lab.clock.now()));
      lab.settle();
    }
    lab.loop.advance_to(end);
    lab.settle();
  }
  [[nodiscard]] base::TimePoint at(base::Duration time) const { return base::TimePoint(time); }

  TestScheduler lab{{.compute_threads = 2}};
  std::shared_ptr<Notes> notes = std::make_shared<Notes>();
};

TEST_F(LoopSchedulerTest, AsyncNodesRunOnTheLoopAndHandOver) {
  TestDag dag({async_node("fetch", milliseconds(5)), noting_node("rank", {"fetch"})});
  const RunHandle run = lab.submit(dag, notes);
  advance(milliseconds(4));
  EXPECT_EQ(notes->text(), "");
  advance(milliseconds(1));
  EXPECT_EQ(notes->text(), "fetch rank");
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
}

// --- Where a run begins

loop::Task<base::Status> note_at_once(NodeCall call) {
  static_cast<Notes*>(call.context())->order.emplace_back(call.node_id());
  co_return base::Status{};
}

NodeSpec ready_node(std::string id) {
  NodeSpec spec = noting_node(std::move(id));
  spec.kind = NodeKind::kAsync;
  spec.body = nullptr;
  spec.async_body = [](const void*, NodeCall call) { return note_at_once(std::move(call)); };
  return spec;
}

TEST_F(LoopSchedulerTest, RunSubmittedOnTheLoopBeginsAtOnce) {
  TestDag dag({ready_node("fetch")});
  loop::FunctionJob request([&] {
    const RunHandle run = lab.submit(dag, notes);
    EXPECT_EQ(notes->text(), "fetch");
    EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  });
  lab.loop.post(request);
  lab.settle();
  EXPECT_EQ(notes->text(), "fetch");
}

TEST_F(LoopSchedulerTest, RunOfCheapNodesSubmittedOnTheLoopNeedsNoWorker) {
  NodeSpec cheap = noting_node("cheap", {});
  cheap.kind = NodeKind::kCheap;
  TestDag dag({cheap});
  loop::FunctionJob request([&] {
    const RunHandle run = lab.submit(dag, notes);
    EXPECT_EQ(notes->text(), "cheap");
    EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  });
  lab.loop.post(request);
  lab.settle();
  EXPECT_EQ(notes->text(), "cheap");
}

TEST_F(LoopSchedulerTest, RunThatStartsWithACpuNodeGoesToAWorkerAtOnce) {
  NodeSpec cheap = noting_node("cheap", {});
  cheap.kind = NodeKind::kCheap;
  TestDag dag({cheap, noting_node("cpu", {})});
  loop::FunctionJob request([&] {
    const RunHandle run = lab.submit(dag, notes);
    EXPECT_EQ(notes->text(), "");
  });
  lab.loop.post(request);
  lab.settle();
  EXPECT_NE(notes->text().find("cpu"), std::string::npos);
}

TEST_F(LoopSchedulerTest, RunSubmittedElsewhereWaitsForTheLoop) {
  TestDag dag({ready_node("fetch")});
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_EQ(notes->text(), "");
  lab.settle();
  EXPECT_EQ(notes->text(), "fetch");
}

TEST_F(LoopSchedulerTest, RunSubmittedByAnAnswerWaitsForItsTurn) {
  // Else runs that follow one another would keep the loop from everything else.
  TestDag first({ready_node("first")});
  TestDag second({ready_node("second")});
  loop::FunctionJob waiting([&] { notes->order.emplace_back("waiting"); });
  struct Answer {
    TestScheduler& lab;
    TestDag& next;
    std::shared_ptr<Notes> notes;
    std::optional<RunHandle> run;
  } answer{lab, second, notes, {}};
  const RunObserver observer{.on_answer =
                                 [](runtime::Run&, void* data) {
                                   auto& self = *static_cast<Answer*>(data);
                                   self.run = self.lab.submit(self.next, self.notes);
                                   EXPECT_EQ(self.notes->text(), "first");
                                 },
                             .data = &answer};
  loop::FunctionJob request(
      [&] { ASSERT_TRUE(first.runs().submit(*lab.pool, notes, {.loop = &lab.loop}, observer)); });
  lab.loop.post(request);
  lab.loop.post(waiting);
  lab.settle();
  EXPECT_EQ(notes->text(), "first waiting second");
}

TEST_F(LoopSchedulerTest, BranchesWaitAtTheSameTime) {
  TestDag dag({async_node("a", milliseconds(5)),
               async_node("b", milliseconds(3)),
               noting_node("join", {"a", "b"})});
  const RunHandle run = lab.submit(dag, notes);
  advance(milliseconds(5));
  EXPECT_EQ(notes->text(), "b a join");
}

TEST_F(LoopSchedulerTest, P1_AsyncSiblingsStartInOrderOfRankThenDeclaration) {
  TestDag dag({async_node("v", milliseconds(1)),
               async_node("follow", milliseconds(5), {"v"}),
               async_node("recs", milliseconds(5), {"v"}),
               async_node("w", milliseconds(1))});
  const RunHandle run = lab.submit(dag, notes);
  advance(milliseconds(20));
  EXPECT_EQ(notes->text(), "v w follow recs");
}

TEST_F(LoopSchedulerTest, I2_PrecedenceOfInlining) {
  NodeSpec cheap = noting_node("cheap");
  cheap.kind = NodeKind::kCheap;
  NodeSpec never = cheap;
  never.id = "never";
  never.inline_hint = InlineHint::kNever;
  NodeSpec always = noting_node("always");
  always.inline_hint = InlineHint::kAlways;
  always.cost_estimate = milliseconds(5);
  NodeSpec declared = noting_node("declared");
  declared.cost_estimate = microseconds(5);
  const NodeSpec unknown = noting_node("unknown");
  TestDag dag({cheap, never, always, declared, unknown});
  runtime::Run run(dag.topology(), dag.costs());
  constexpr InlineRule kUsual{.threshold = microseconds(10)};
  const auto inlines = [&](const char* id) { return wants_inlining(run, dag.node(id), kUsual, 0); };
  EXPECT_TRUE(inlines("cheap"));
  EXPECT_FALSE(inlines("never"));
  EXPECT_TRUE(inlines("always"));
  EXPECT_TRUE(inlines("declared"));
  EXPECT_FALSE(inlines("unknown"));
  dag.teach(dag.node("declared"), milliseconds(1));  // measured outranks declared
  EXPECT_FALSE(inlines("declared"));
  // I1 overrides all, and a run may have a threshold of its own.
  EXPECT_FALSE(wants_inlining(run, dag.node("always"), {.enabled = false}, 0));
  const InlineRule generous{.threshold = milliseconds(2)};
  EXPECT_TRUE(wants_inlining(run, dag.node("declared"), generous, 0));
}

TEST_F(LoopSchedulerTest, ARunThatStartsWithAsyncNodesNeedsNoWorkerToStart) {
  TestDag dag({async_node("a", milliseconds(5)), async_node("b", milliseconds(3), {"a"})});
  const RunHandle run = lab.submit(dag, notes);
  advance(milliseconds(8));
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  EXPECT_EQ(lab.pool->counters().queued, 0U);
}

TEST_F(LoopSchedulerTest, I1_ARunMaySwitchInliningOffForItself) {
  NodeSpec cheap = noting_node("cheap", {"fetch"});
  cheap.kind = NodeKind::kCheap;
  TestDag dag({async_node("fetch", milliseconds(1)), cheap});
  const auto workers_ran = [&] { return lab.pool->counters().executed; };
  const RunHandle inlined = lab.submit(dag, notes);
  advance(milliseconds(1));
  EXPECT_EQ(inlined.outcome(), RunOutcome::kOk);
  EXPECT_EQ(workers_ran(), 0U);
  const RunHandle queued = lab.submit(dag, notes, {.inlining = {.enable_inline_execution = false}});
  advance(milliseconds(1));
  EXPECT_EQ(queued.outcome(), RunOutcome::kOk);
  EXPECT_EQ(workers_ran(), 1U);
}

TEST_F(LoopSchedulerTest, CheapNodesStayOnTheLoopAndCpuNodesGoToThePool) {
  NodeSpec cheap = noting_node("cheap", {"fetch"});
  cheap.kind = NodeKind::kCheap;
  TestDag dag({async_node("fetch", milliseconds(1)), cheap, noting_node("cpu", {"fetch"})});
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  lab.loop.advance(milliseconds(1));  // the loop alone
  EXPECT_EQ(notes->text(), "fetch cheap");
  lab.settle();
  EXPECT_EQ(notes->text(), "fetch cheap cpu");
}

TEST_F(LoopSchedulerTest, I1_NothingIsInlinedWhenInliningIsOff) {
  TestScheduler off({.compute_threads = 1, .enable_inline_execution = false});
  NodeSpec cheap = noting_node("b", {"a"});
  cheap.kind = NodeKind::kCheap;
  TestDag dag({noting_node("a"), cheap, noting_node("c", {"b"})});
  const RunHandle run = off.submit(dag, notes);
  off.settle();
  EXPECT_EQ(notes->text(), "a b c");
  EXPECT_EQ(off.pool->counters().published, 3U);  // every node went through a queue
}

TEST_F(LoopSchedulerTest, I1_TheLoopBudgetBoundsWhatRunsThere) {
  NodeSpec slow = noting_node("first", {"fetch"});
  slow.kind = NodeKind::kCheap;
  slow.closure = std::make_shared<base::ManualClock*>(&lab.clock);
  slow.body = [](const void* closure, NodeCall& call) {
    (*static_cast<base::ManualClock* const*>(closure))->advance(microseconds(60));
    static_cast<Notes*>(call.context())->order.emplace_back(call.node_id());
    return true;
  };
  NodeSpec second = slow;
  second.id = "second";
  second.after = {"first"};
  TestDag dag({async_node("fetch", milliseconds(1)), slow, second});
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  lab.loop.advance(milliseconds(1));
  EXPECT_EQ(notes->text(), "fetch first");  // the budget of 50 us is spent
  lab.settle();
  EXPECT_EQ(notes->text(), "fetch first second");
}

TEST_F(LoopSchedulerTest, D4_MaxInlineDepthBoundsTheNodesOfATurnOnALoop) {
  std::vector<NodeSpec> specs{async_node("async", milliseconds(1))};
  for (int node = 0; node < 6; ++node) {
    specs.push_back(noting_node("c" + std::to_string(node),
                                {node == 0 ? "async" : "c" + std::to_string(node - 1)}));
    specs.back().kind = NodeKind::kCheap;
  }
  TestDag dag(specs);
  RunOptions options;
  options.inlining.max_inline_depth = 2;
  const RunHandle run = lab.submit(dag, notes, options);
  advance(milliseconds(2));
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  EXPECT_EQ(lab.pool->counters().inlined_on_loops, 2U);
  EXPECT_EQ(notes->text(), "async c0 c1 c2 c3 c4 c5");
}

TEST_F(LoopSchedulerTest, C2_AnswersExactlyAtTheDeadline) {
  TestDag dag({async_node("slow", milliseconds(80)), noting_node("after", {"slow"})});
  const RunHandle run = lab.submit(dag, notes, {.deadline = at(milliseconds(50))});
  advance(milliseconds(50) - nanoseconds(1));
  EXPECT_EQ(run.outcome(), RunOutcome::kOpen);
  advance(nanoseconds(1));
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
  EXPECT_EQ(run.status().error().code(), base::ErrorCode::kDeadlineExceeded);
  advance(milliseconds(100));
  EXPECT_EQ(notes->text(), "");  // its I/O was cancelled, nothing ran later
}

TEST_F(LoopSchedulerTest, C2_ABodyThatReturnsLateIsDiscardedAndCounted) {
  TestDag dag({noting_node("slow"), noting_node("after", {"slow"})});
  const RunHandle run = lab.submit(dag, notes, {.deadline = at(milliseconds(50))});
  ASSERT_TRUE(lab.worker(0).start());
  lab.loop.advance(milliseconds(50));
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);  // the answer is out while the body runs
  EXPECT_EQ(notes.use_count(), 2);                  // and the context lives on
  lab.worker(0).finish();
  lab.settle();
  EXPECT_EQ(run.run().late_completion_count(), 1U);
  EXPECT_EQ(notes->text(), "slow");
}

TEST_F(LoopSchedulerTest, C1_NoNodeStartsAfterTheDeadline) {
  TestDag dag({noting_node("a"), noting_node("b", {"a"})});
  const RunHandle run = lab.submit(dag, notes, {.deadline = at(milliseconds(1))});
  lab.loop.advance(milliseconds(1));
  lab.settle();
  EXPECT_EQ(notes->text(), "");
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
}

TEST_F(LoopSchedulerTest, C3_ATimeoutFailsItsNode) {
  NodeSpec slow = async_node("slow", milliseconds(80));
  slow.timeout = milliseconds(10);
  slow.op = "hydrate";
  TestDag dag({slow, noting_node("after", {"slow"})});
  const RunHandle run = lab.submit(dag, notes);
  advance(milliseconds(10));
  EXPECT_EQ(run.outcome(), RunOutcome::kError);
  EXPECT_EQ(run.status().error().code(), base::ErrorCode::kTimeout);
  EXPECT_THAT(run.status().error().where(), HasSubstr("node 'slow' (op hydrate)"));  // C4
  advance(milliseconds(100));
}

TEST_F(LoopSchedulerTest, C3_OnCpuNodesTheFirstOfBodyAndTimeoutWins) {
  NodeSpec slow = with_value_fallback(noting_node("slow"));
  slow.timeout = milliseconds(10);
  TestDag dag({slow, noting_node("after", {"slow"})});
  const RunHandle late = lab.submit(dag, notes);
  ASSERT_TRUE(lab.worker(0).start());
  lab.loop.advance(milliseconds(10));
  ASSERT_TRUE(lab.step(1));
  EXPECT_EQ(notes->text(), "slow instead_of_slow after");
  EXPECT_TRUE(late.run().used_fallback(NodeId(0)));
  lab.worker(0).finish();
  lab.settle();
  EXPECT_EQ(late.outcome(), RunOutcome::kOk);
  EXPECT_EQ(late.run().late_completion_count(), 1U);

  notes->order.clear();
  const RunHandle in_time = lab.submit(dag, notes);
  lab.settle();
  advance(milliseconds(20));
  EXPECT_EQ(notes->text(), "slow after");
  EXPECT_FALSE(in_time.run().used_fallback(NodeId(0)));
}

TEST_F(LoopSchedulerTest, C3_ABodyCanTellThatNobodyWaitsForItAnyMore) {
  struct Kept {
    mutable std::vector<NodeCall> calls;
  };
  const auto kept = std::make_shared<const Kept>();
  NodeSpec slow = with_value_fallback(noting_node("slow"));
  slow.timeout = milliseconds(10);
  slow.closure = kept;
  slow.body = [](const void* closure, NodeCall& call) {
    static_cast<const Kept*>(closure)->calls.push_back(call);
    return true;
  };
  TestDag dag({slow, async_node("after", milliseconds(80), {"slow"})});
  const RunHandle run = lab.submit(dag, notes);
  ASSERT_TRUE(lab.worker(0).start());
  ASSERT_EQ(kept->calls.size(), 1U);
  const NodeCall& call = kept->calls.front();
  EXPECT_TRUE(call.is_wanted());
  lab.loop.advance(milliseconds(10));
  EXPECT_FALSE(call.is_wanted());
  EXPECT_FALSE(call.stop_requested());  // the run goes on with the fallback
  lab.worker(0).finish();
  lab.settle();
  advance(milliseconds(100));
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
}

TEST_F(LoopSchedulerTest, C8_APendingNodeGivesUpInTimeForItsDependents) {
  NodeSpec slow = with_value_fallback(async_node("slow", milliseconds(80)));
  slow.reserve = milliseconds(5);
  TestDag dag({slow, noting_node("after", {"slow"})});
  const RunHandle run = lab.submit(dag, notes, {.deadline = at(milliseconds(50))});
  advance(milliseconds(45) - nanoseconds(1));
  EXPECT_EQ(notes->text(), "");
  advance(nanoseconds(1));
  EXPECT_EQ(notes->text(), "instead_of_slow after");
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  advance(milliseconds(100));
}

TEST_F(LoopSchedulerTest, K5_AFallbackNodeRunsOnlyWhenItIsTaken) {
  const auto dag_with = [&](base::Duration time) {
    NodeSpec main = async_node("main", time);
    main.timeout = milliseconds(10);
    main.fallback = FallbackKind::kNode;
    main.fallback_node = "spare";
    return TestDag({main,
                    noting_node("only_spare"),
                    noting_node("spare", {"only_spare"}),
                    noting_node("after", {"main"})});
  };
  TestDag quick = dag_with(milliseconds(1));
  const RunHandle good = lab.submit(quick, notes);
  advance(milliseconds(20));
  EXPECT_EQ(notes->text(), "main after");
  EXPECT_EQ(good.outcome(), RunOutcome::kOk);

  notes->order.clear();
  TestDag slow = dag_with(milliseconds(80));
  const RunHandle degraded = lab.submit(slow, notes);
  advance(milliseconds(20));
  EXPECT_EQ(notes->text(), "only_spare spare after");
  EXPECT_EQ(degraded.outcome(), RunOutcome::kOk);
  EXPECT_TRUE(degraded.run().used_fallback(NodeId(0)));
  advance(milliseconds(100));
}

TEST_F(LoopSchedulerTest, C7_CancellingStopsWithinOneNodeBoundary) {
  TestDag dag({noting_node("a"), noting_node("b", {"a"}), noting_node("c", {"b"})});
  const RunHandle run = lab.submit(dag, notes);
  ASSERT_TRUE(lab.worker(0).start());
  run.cancel();
  lab.worker(0).finish();
  lab.settle();
  EXPECT_EQ(notes->text(), "a");
  EXPECT_EQ(run.outcome(), RunOutcome::kCancelled);
  EXPECT_EQ(run.status().error().code(), base::ErrorCode::kCancelled);
}

TEST_F(LoopSchedulerTest, C7_CancellingEndsPendingIo) {
  TestDag dag({async_node("slow", milliseconds(80))});
  const RunHandle run = lab.submit(dag, notes);
  advance(milliseconds(1));
  run.cancel();
  lab.settle();
  EXPECT_EQ(run.outcome(), RunOutcome::kCancelled);
  EXPECT_EQ(lab.loop.next_deadline(), std::nullopt);
}

TEST_F(LoopSchedulerTest, I4_RowsDecideWhetherANodeIsInlined) {
  NodeSpec fetch = async_node("fetch", milliseconds(1));
  NodeSpec counter = noting_node("rows", {"fetch"});
  counter.kind = NodeKind::kCheap;
  counter.body = [](const void*, NodeCall& call) {
    call.set_row_count(100'000);
    return true;
  };
  NodeSpec per_row = noting_node("per_row", {"rows"});
  per_row.cost_per_row = nanoseconds(10);
  TestDag dag({fetch, counter, per_row});
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  lab.loop.advance(milliseconds(1));
  EXPECT_EQ(notes->text(), "fetch");  // a millisecond of rows does not run on the loop
  lab.settle();
  EXPECT_EQ(notes->text(), "fetch per_row");
}

}  // namespace
}  // namespace millrace::runtime
