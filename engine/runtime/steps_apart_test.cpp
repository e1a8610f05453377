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
#include "base/result.h"
#include "loop/task.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/traced_fixture.h"
#include "trace/trace.h"
#include "trace/trace_record.h"

namespace millrace::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<NodeSpec> chain_of_three() {
  return {noting_node("a"), noting_node("b", {"a"}), noting_node("c", {"b"})};
}

std::vector<NodeSpec> diamond() {
  return {noting_node("top"),
          noting_node("left", {"top"}),
          noting_node("right", {"top"}),
          noting_node("bottom", {"left", "right"})};
}

TEST(StepsApartTest, T1_T2_AChainIsInlinedBehindItsQueuedSource) {
  TracedScheduler traced({.compute_threads = 1});
  TestDag dag(chain_of_three());
  const WrittenTrace trace = traced.trace(dag);
  EXPECT_THAT(trace.nodes_of(trace::TraceKind::kQueueDelay), ElementsAre(0U));
  const std::vector<trace::TraceRecord> inlined = trace.of(trace::TraceKind::kNodeInlined);
  ASSERT_EQ(inlined.size(), 2U);
  EXPECT_EQ(inlined[0].node_index, 1U);
  EXPECT_EQ(inlined[0].parent, 0U);
  EXPECT_EQ(inlined[0].depth, 1U);
  EXPECT_EQ(inlined[1].parent, 1U);
  EXPECT_EQ(inlined[1].depth, 2U);
}

TEST(StepsApartTest, I1_WithoutInliningEveryNodeIsQueued) {
  TracedScheduler traced({.compute_threads = 2, .enable_inline_execution = false});
  std::vector<NodeSpec> specs = diamond();
  for (NodeSpec& spec : specs) spec.kind = NodeKind::kCheap;  // overridden too
  specs[1].inline_hint = InlineHint::kAlways;
  TestDag dag(std::move(specs));
  const WrittenTrace trace = traced.trace(dag);
  EXPECT_THAT(trace.nodes_of(trace::TraceKind::kQueueDelay), ElementsAre(0U, 1U, 2U, 3U));
  EXPECT_THAT(trace.of(trace::TraceKind::kNodeInlined), IsEmpty());
}

TEST(StepsApartTest, T1_AnAsyncSourceHasWaitedSinceTheStartLikeTheOthers) {
  TracedScheduler traced({.compute_threads = 1});
  NodeSpec fetch = noting_node("fetch");
  fetch.kind = NodeKind::kAsync;
  fetch.body = nullptr;
  fetch.async_body = [](const void*, NodeCall) -> loop::Task<base::Status> {
    co_return base::Status{};
  };
  // With a source of another kind beside it a worker begins the run.
  TestDag dag({std::move(fetch), noting_node("cpu")});
  const RunHandle run = traced.submit(dag, std::make_shared<Notes>());
  traced.lab->clock.advance(milliseconds(3));
  traced.lab->settle();
  const std::vector<trace::TraceRecord> delays = traced.take().of(trace::TraceKind::kQueueDelay);
  ASSERT_EQ(delays.size(), 2U);
  for (const trace::TraceRecord& delay : delays)
    EXPECT_EQ(delay.value, 3'000'000U) << delay.node_index;
}

TEST(StepsApartTest, I1_SourcesAreQueuedEvenWhenOneWorkerRunsThemAll) {
  TracedScheduler traced({.compute_threads = 1});
  TestDag dag({noting_node("a"), noting_node("b"), noting_node("end", {"a", "b"})});
  const WrittenTrace trace = traced.trace(dag);
  EXPECT_THAT(trace.nodes_of(trace::TraceKind::kQueueDelay), ElementsAre(0U, 1U));
  EXPECT_THAT(trace.nodes_of(trace::TraceKind::kNodeInlined), ElementsAre(2U));
}

TEST(StepsApartTest, I2_ANodeThatMustNotBeInlinedGoesThroughAQueue) {
  TracedScheduler traced({.compute_threads = 1});
  std::vector<NodeSpec> specs = chain_of_three();
  specs[1].inline_hint = InlineHint::kNever;
  specs[1].kind = NodeKind::kCheap;  // outranked by the hint
  TestDag dag(std::move(specs));
  const WrittenTrace trace = traced.trace(dag);
  EXPECT_THAT(trace.nodes_of(trace::TraceKind::kQueueDelay), ElementsAre(0U, 1U));
  EXPECT_THAT(trace.nodes_of(trace::TraceKind::kNodeInlined), ElementsAre(2U));
}

TEST(StepsApartTest, D2_WithoutChainingOnlyNodesThatMayBeInlinedAreHandedOver) {
  TracedScheduler traced({.compute_threads = 1, .enable_continuation_chaining = false});
  std::vector<NodeSpec> specs = chain_of_three();
  specs[2].kind = NodeKind::kCheap;
  TestDag dag(std::move(specs));
  dag.teach(milliseconds(1));
  const WrittenTrace trace = traced.trace(dag);
  EXPECT_THAT(trace.nodes_of(trace::TraceKind::kQueueDelay), ElementsAre(0U, 1U));
  EXPECT_THAT(trace.nodes_of(trace::TraceKind::kNodeInlined), ElementsAre(2U));
}

TEST(StepsApartTest, D5_TracedAndUntracedRunsGoTheSameWay) {
  const auto order_of = [](bool is_traced) {
    TracedScheduler traced({.compute_threads = 1});
    TestDag dag(diamond());
    dag.teach(nanoseconds(20));
    const auto notes = std::make_shared<Notes>();
    const RunHandle run = is_traced ? traced.submit(dag, notes) : traced.lab->submit(dag, notes);
    traced.lab->settle();
    EXPECT_EQ(run.outcome(), RunOutcome::kOk);
    return notes->text();
  };
  EXPECT_EQ(order_of(false), "top left right bottom");
  EXPECT_EQ(order_of(true), order_of(false));
}

TEST(StepsApartTest, D3_ReadySiblingsCanBeTakenBeforeTheBestRuns) {
  TracedScheduler traced({.compute_threads = 2});
  TestDag dag(diamond());
  dag.teach(milliseconds(1));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = traced.submit(dag, notes);
  EXPECT_TRUE(traced.lab->step(0));
  EXPECT_TRUE(traced.lab->step(1));
  EXPECT_EQ(notes->text(), "top right");
  traced.lab->settle();
  EXPECT_EQ(notes->text(), "top right left bottom");
  EXPECT_THAT(traced.take().nodes_of(trace::TraceKind::kQueueDelay), ElementsAre(0U, 2U));
}

TEST(StepsApartTest, D4_ATracedStrandLetsOthersIn) {
  TracedScheduler traced({.compute_threads = 1, .max_inline_depth = 2});
  TestDag longer({noting_node("a0"),
                  noting_node("a1", {"a0"}),
                  noting_node("a2", {"a1"}),
                  noting_node("a3", {"a2"})});
  TestDag other({noting_node("b")});
  other.teach(nanoseconds(20));
  const auto notes = std::make_shared<Notes>();
  const RunHandle first = traced.submit(longer, notes);
  const RunHandle second = traced.lab->submit(other, notes);
  traced.lab->settle();
  EXPECT_EQ(notes->text(), "a0 a1 b a2 a3");
  // What made room came out of a queue again (T1).
  EXPECT_THAT(traced.take().nodes_of(trace::TraceKind::kQueueDelay), ElementsAre(0U, 2U));
}

TEST(StepsApartTest, T1_ACallersSecondRunDoesNotStartInItsFirst) {
  // Between the two runs of one caller no queue was looked at, but time has passed.
  TracedScheduler traced({.compute_threads = 1});
  TestDag dag({noting_node("a")});
  Notes notes;
  for (const std::uint64_t id : {1U, 2U}) {
    traced.lab->clock.advance(milliseconds(1));
    const RunOptions options{.trace = trace::TraceContext(trace::TraceId(id),
                                                          trace::TraceFlag::All,
                                                          trace::TraceTopologyId(0))};
    ASSERT_TRUE(dag.runs().run(*traced.lab->pool, &notes, options).has_value());
    const WrittenTrace trace = traced.take();
    ASSERT_EQ(trace.of(trace::TraceKind::kQueueDelay).size(), 1U);
    EXPECT_EQ(trace.of(trace::TraceKind::kQueueDelay).front().value, 0U);
    EXPECT_EQ(trace.of(trace::TraceKind::kNodeStart).front().time(), traced.lab->clock.now());
  }
}

TEST(StepsApartTest, C1_ACancelledStrandStartsNothingMore) {
  TracedScheduler traced({.compute_threads = 1});
  TestDag dag(chain_of_three());
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = traced.submit(dag, notes);
  EXPECT_TRUE(traced.lab->step(0));
  run.cancel();
  traced.lab->settle();
  EXPECT_EQ(notes->text(), "a");
  EXPECT_EQ(run.outcome(), RunOutcome::kCancelled);
}

TEST(StepsApartTest, D4_WhatWasCarriedForTheTargetOfAFailedNodeIsDropped) {
  // "a" carries its token to "failing", which uses up the turn and fails while another run waits.
  TestScheduler lab({.compute_threads = 1});
  NodeSpec failing = noting_node("failing");
  failing.closure = std::shared_ptr<const void>(&lab.clock, [](const void*) {});
  failing.body = [](const void* closure, NodeCall& call) {
    auto* const clock =
        const_cast<base::ManualClock*>(static_cast<const base::ManualClock*>(closure));
    clock->advance(std::chrono::milliseconds(1));
    call.set_error(base::Error(base::ErrorCode::kNodeFailed, "no"));
    return false;
  };
  NodeSpec timed = noting_node("timed");
  timed.timeout = std::chrono::seconds(1);
  TestDag dag({noting_node("a"),
               failing,
               noting_node("join", {"a", "failing"}),
               noting_node("other"),
               timed});
  TestDag waiting({noting_node("waiting")});
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  const RunHandle next = lab.submit(waiting, std::make_shared<Notes>());
  lab.settle();
  EXPECT_EQ(run.outcome(), RunOutcome::kError);
  EXPECT_EQ(next.outcome(), RunOutcome::kOk);
  EXPECT_EQ(notes->text(), "a");
}

}  // namespace
}  // namespace millrace::runtime
