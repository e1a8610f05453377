#include "runtime/run.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "runtime/node_call.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using testing::HasSubstr;

NodeSpec failing_node(std::string id, std::vector<std::string> after = {}) {
  NodeSpec spec = noting_node(std::move(id), std::move(after));
  spec.body = [](const void*, NodeCall& call) {
    static_cast<Notes*>(call.context())->order.emplace_back(call.node_id());
    call.set_error(base::Error(base::ErrorCode::kUnavailable, "Peer down", "shard 3"));
    return false;
  };
  return spec;
}

TEST(RunTest, IsOpenUntilItsAnswerIsOut) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a")});
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_EQ(run.outcome(), RunOutcome::kOpen);
  ASSERT_FALSE(run.status().has_value());
  EXPECT_EQ(run.status().error().code(), base::ErrorCode::kInternal);
  lab.settle();
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  EXPECT_TRUE(run.status().has_value());
}

TEST(RunTest, C4_TheFirstErrorWinsAndLaterOnesAreCounted) {
  TestScheduler lab({.compute_threads = 2});
  TestDag dag({failing_node("first"), failing_node("second")});
  const auto notes = std::make_shared<Notes>();
  // Without a loop a run answers when its work is over, so that all errors are in.
  const RunHandle run = *dag.runs().submit(*lab.pool, notes, {}, {});
  ASSERT_TRUE(lab.worker(0).start());  // both bodies are under way when the first one fails
  ASSERT_TRUE(lab.worker(1).start());
  ASSERT_EQ(notes->order.size(), 2U);
  lab.worker(0).finish();
  lab.worker(1).finish();
  lab.settle();
  EXPECT_EQ(run.outcome(), RunOutcome::kError);
  ASSERT_FALSE(run.status().has_value());
  EXPECT_EQ(run.status().error().code(), base::ErrorCode::kUnavailable);
  EXPECT_EQ(run.status().error().where(), "node '" + notes->order.front() + "' (op cpu), shard 3");
  EXPECT_EQ(run.run().suppressed_error_count(), 1U);
}

TEST(RunTest, C4_ABodyThatSaysNothingStillNamesItsNode) {
  TestScheduler lab({.compute_threads = 1});
  NodeSpec silent = noting_node("silent");
  silent.op = "lookup";
  silent.body = [](const void*, NodeCall&) { return false; };
  TestDag dag({silent});
  const RunHandle run = lab.submit(dag, std::make_shared<Notes>());
  lab.settle();
  ASSERT_FALSE(run.status().has_value());
  EXPECT_EQ(run.status().error().code(), base::ErrorCode::kNodeFailed);
  EXPECT_EQ(run.status().error().where(), "node 'silent' (op lookup)");
}

TEST(RunTest, C6_WhatABodyThrowsBecomesText) {
  TestDag dag({noting_node("a")});
  runtime::Run run(dag.topology(), dag.costs());
  NodeCall call(run, nullptr);
  const auto message_of = [&call](const auto& thrown) {
    try {
      throw thrown;
    } catch (...) {
      call.set_error_from_exception();
    }
    return call.take_error().message();
  };
  EXPECT_THAT(message_of(std::runtime_error("disk full")), HasSubstr("disk full"));
  EXPECT_THAT(message_of(42), HasSubstr("not a std::exception"));
}

TEST(RunTest, C7_ARunCancelledBeforeItsFirstNodeRunsNone) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a"), noting_node("b", {"a"})});
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  run.cancel();
  lab.settle();
  EXPECT_EQ(notes->text(), "");
  EXPECT_EQ(run.outcome(), RunOutcome::kCancelled);
  EXPECT_EQ(run.status().error().code(), base::ErrorCode::kCancelled);
}

TEST(RunTest, C7_CancellingAfterTheAnswerChangesNothing) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a")});
  const RunHandle run = lab.submit(dag, std::make_shared<Notes>());
  lab.settle();
  run.cancel();
  lab.settle();
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  EXPECT_TRUE(run.status().has_value());
}

TEST(RunTest, AStoppedRunObjectStartsAnewUnharmed) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a"), noting_node("b", {"a"})});
  runtime::Run run(dag.topology(), dag.costs());
  const auto execute = [&](bool cancelled) {
    Notes notes;
    lab.pool->submit(run, &notes, {}, {});
    if (cancelled) run.cancel();
    lab.settle();
    return notes.text();
  };
  EXPECT_EQ(execute(true), "");
  EXPECT_EQ(run.outcome(), RunOutcome::kCancelled);
  EXPECT_EQ(execute(false), "a b");
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  EXPECT_TRUE(run.status().has_value());
}

/// Starts its run again from the answer, as often as told.
struct Repeat {
  static void on_answer(Run& run, void* data) {
    auto& self = *static_cast<Repeat*>(data);
    if (--self.left > 0) self.start(run);
  }
  void start(Run& run) {
    pool.submit(run, &notes, {}, {.on_answer = &on_answer, .on_release = nullptr, .data = this});
  }
  WorkerPool& pool;
  Notes notes = {};
  int left = 3;
};

TEST(RunTest, CountsAreOfTheLastUseOnly) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a"), noting_node("b", {"a"})});
  dag.teach(nanoseconds(20));
  for (int use = 0; use < 3; ++use) {
    const RunHandle run = lab.submit_without_loop(dag, std::make_shared<Notes>(), {});
    lab.settle();
    EXPECT_EQ(run.run().executed_count(), 2U) << use;
    EXPECT_EQ(run.run().late_completion_count(), 0U) << use;
  }
  EXPECT_EQ(dag.runs().created_count(), 1U);
}

TEST(RunTest, TheAnswerMayStartTheRunAgain) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a"), noting_node("b", {"a"})});
  runtime::Run run(dag.topology(), dag.costs());
  Repeat repeat{*lab.pool};
  repeat.start(run);
  lab.settle();
  EXPECT_EQ(repeat.notes.text(), "a b a b a b");
}

TEST(RunTest, BodiesSeeTheTimeThatIsLeft) {
  struct Seen {
    std::optional<base::Duration> remaining;
  };
  TestScheduler lab({.compute_threads = 1});
  NodeSpec spec = noting_node("a");
  spec.body = [](const void*, NodeCall& call) {
    static_cast<Seen*>(call.context())->remaining = call.remaining();
    return true;
  };
  TestDag dag({spec});
  const auto seen = std::make_shared<Seen>();
  const auto run_with = [&](std::optional<base::TimePoint> deadline) {
    const auto handle =
        dag.runs().submit(*lab.pool, seen, {.deadline = deadline, .loop = &lab.loop}, {});
    lab.clock.advance(milliseconds(3));
    lab.settle();
  };
  run_with(std::nullopt);
  EXPECT_EQ(seen->remaining, std::nullopt);
  run_with(lab.clock.now() + milliseconds(10));
  EXPECT_EQ(seen->remaining, milliseconds(7));
}

TEST(RunTest, P2_ARunKeepsTheOrderItStartedWith) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("source"), noting_node("x", {"source"}), noting_node("y", {"source"})});
  dag.teach(nanoseconds(100));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  const std::uint32_t before = dag.costs().reorder_count();
  for (int sample = 0; sample < 64; ++sample) dag.teach(dag.node("y"), milliseconds(5));
  for (int look = 0; look < 8 && dag.costs().reorder_count() == before; ++look)
    dag.costs().refresh();
  ASSERT_GT(dag.costs().reorder_count(), before);
  lab.settle();
  EXPECT_EQ(notes->text(), "source x y");
  const RunHandle next = lab.submit(dag, notes);
  lab.settle();
  EXPECT_EQ(notes->text(), "source x y source y x");
}

}  // namespace
}  // namespace millrace::runtime
