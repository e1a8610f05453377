#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
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
using testing::ElementsAre;
using testing::HasSubstr;

void note(NodeCall& call, const std::string& text) {
  static_cast<Notes*>(call.context())->order.push_back(text + std::string(call.node_id()));
}

NodeSpec failing_node(std::string id, std::vector<std::string> after = {}) {
  NodeSpec spec = noting_node(std::move(id), std::move(after));
  spec.body = [](const void*, NodeCall& call) {
    note(call, "failing ");
    return false;
  };
  return spec;
}

NodeSpec with_commit(NodeSpec spec) {
  spec.commit = [](const void*, NodeCall& call) {
    note(call, "commit ");
    return true;
  };
  return spec;
}

class RunStepsTest : public testing::Test {
 protected:
  TestScheduler lab{{.compute_threads = 2}};
  std::shared_ptr<Notes> notes = std::make_shared<Notes>();
};

TEST_F(RunStepsTest, C2_WhatABodyMadeIsPublishedBeforeItsDependentsStart) {
  TestDag dag({with_commit(noting_node("a")), noting_node("b", {"a"})});
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  EXPECT_THAT(notes->order, ElementsAre("a", "commit a", "b"));
}

TEST_F(RunStepsTest, C2_ALateBodyIsNotPublished) {
  TestDag dag({with_commit(noting_node("slow"))});
  const RunHandle run = lab.submit(dag, notes, {.deadline = lab.clock.now() + milliseconds(5)});
  ASSERT_TRUE(lab.worker(0).start());
  lab.loop.advance(milliseconds(5));
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
  lab.worker(0).finish();
  lab.settle();
  EXPECT_THAT(notes->order, ElementsAre("slow"));
  EXPECT_EQ(run.run().late_completion_count(), 1U);
}

TEST_F(RunStepsTest, AFailedBodyIsNotPublished) {
  TestDag dag({with_commit(failing_node("bad"))});
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  EXPECT_THAT(notes->order, ElementsAre("failing bad"));
}

TEST_F(RunStepsTest, APublicationThatFailsIsAnErrorOfItsNode) {
  NodeSpec spec = noting_node("a");
  spec.commit = [](const void*, NodeCall& call) {
    call.set_error(base::Error(base::ErrorCode::kResourceExhausted, "No room"));
    return false;
  };
  TestDag dag({spec, noting_node("b", {"a"})});
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  EXPECT_EQ(notes->text(), "a");
  ASSERT_FALSE(run.status().has_value());
  EXPECT_EQ(run.status().error().code(), base::ErrorCode::kResourceExhausted);
  EXPECT_THAT(run.status().error().where(), HasSubstr("'a'"));
}

TEST_F(RunStepsTest, AFallbackThatFailsTooDecidesTheError) {
  NodeSpec spec = failing_node("bad");
  spec.fallback = FallbackKind::kValue;
  spec.fallback_body = [](const void*, NodeCall& call) {
    call.set_error(base::Error(base::ErrorCode::kUnavailable, "No default either"));
    return false;
  };
  TestDag dag({spec, noting_node("after", {"bad"})});
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  EXPECT_THAT(notes->order, ElementsAre("failing bad"));
  ASSERT_FALSE(run.status().has_value());
  EXPECT_EQ(run.status().error().code(), base::ErrorCode::kUnavailable);
  EXPECT_FALSE(run.run().used_fallback(NodeId(dag.node("bad"))));
}

TEST_F(RunStepsTest, K5_ASharedFallbackNodeRunsOnceAndStandsInForAll) {
  const auto with_spare = [](NodeSpec spec) {
    spec.fallback = FallbackKind::kNode;
    spec.fallback_node = "spare";
    return spec;
  };
  TestDag dag({with_spare(failing_node("x")),
               with_spare(failing_node("y")),
               noting_node("spare"),
               noting_node("end", {"x", "y"})});
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  EXPECT_EQ(std::count(notes->order.begin(), notes->order.end(), "spare"), 1);
  EXPECT_EQ(notes->order.back(), "end");
  EXPECT_TRUE(run.run().used_fallback(NodeId(dag.node("x"))));
  EXPECT_TRUE(run.run().used_fallback(NodeId(dag.node("y"))));
}

TEST_F(RunStepsTest, CCost_FailedBodiesAreNotMeasured) {
  TestDag dag({noting_node("a"), failing_node("bad", {"a"})});
  const RunHandle run = lab.submit(dag, notes);  // a cold plan measures every run
  lab.settle();
  EXPECT_EQ(dag.costs().sample_count(dag.node("a")), 1U);
  EXPECT_EQ(dag.costs().sample_count(dag.node("bad")), 0U);
}

TEST(RunStepsTraceTest, T3_AFailureClosesItsSpanAndCountsTheRest) {
  TracedScheduler traced({.compute_threads = 1});
  TestDag dag({noting_node("a"),
               failing_node("bad", {"a"}),
               noting_node("c", {"bad"}),
               noting_node("d", {"c"})});
  const WrittenTrace trace = traced.trace(dag);
  EXPECT_THAT(trace.nodes_of(trace::TraceKind::kNodeStart), ElementsAre(0U, 1U));
  EXPECT_THAT(trace.nodes_of(trace::TraceKind::kNodeEnd), ElementsAre(0U, 1U));
  EXPECT_THAT(trace.nodes_of(trace::TraceKind::kNodeError), ElementsAre(1U));
  ASSERT_EQ(trace.last().kind, trace::TraceKind::kRunEnd);
  EXPECT_EQ(trace.last().status, trace::SpanStatus::Error);
  EXPECT_EQ(trace.last().node_index, 2U);  // executed
  EXPECT_EQ(trace.last().parent, 2U);      // skipped
}

TEST(RunStepsTraceTest, T3_AtTheDeadlineOpenSpansAreClosedBeforeTheRun) {
  TracedScheduler traced({.compute_threads = 1});
  TestDag dag({noting_node("slow"), noting_node("after", {"slow"})});
  const auto notes = std::make_shared<Notes>();
  const RunHandle run =
      traced.submit(dag, notes, {.deadline = traced.lab->clock.now() + milliseconds(5)});
  ASSERT_TRUE(traced.lab->worker(0).start());
  traced.lab->loop.advance(milliseconds(5));
  const WrittenTrace trace = traced.take();  // complete before the body has returned
  ASSERT_EQ(trace.of(trace::TraceKind::kNodeEnd).size(), 1U);
  EXPECT_EQ(trace.of(trace::TraceKind::kNodeEnd).front().status, trace::SpanStatus::Deadline);
  ASSERT_EQ(trace.last().kind, trace::TraceKind::kRunEnd);
  EXPECT_EQ(trace.last().status, trace::SpanStatus::Deadline);
  EXPECT_EQ(trace.last().depth, 1U);  // late
  traced.lab->worker(0).finish();
  traced.lab->settle();
  EXPECT_EQ(run.run().late_completion_count(), 1U);
}

}  // namespace
}  // namespace millrace::runtime
