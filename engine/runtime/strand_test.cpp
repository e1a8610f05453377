#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

// The steps of strands whose nodes take the quick way: every cost is known, nothing is traced.

namespace millrace::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

std::vector<NodeSpec> fan(int width) {
  std::vector<NodeSpec> specs{noting_node("source")};
  std::vector<std::string> all;
  for (int node = 0; node < width; ++node) {
    all.push_back("f" + std::to_string(node));
    specs.push_back(noting_node(all.back(), {"source"}));
  }
  specs.push_back(noting_node("sink", all));
  return specs;
}

/// Makes every cost known and gets the first use over with, which is measured and so
/// takes other ways.
void warm_up(TestScheduler& lab, TestDag& dag, base::Duration cost) {
  dag.teach(cost);
  const RunHandle run = lab.submit(dag, std::make_shared<Notes>());
  lab.settle();
  dag.teach(cost);
}

bool work_strand(TestScheduler& lab, std::uint32_t index) {
  const DriverScope scope(lab.worker(index));
  return lab.worker(index).work_strand();
}

TEST(StrandTest, AStrandRunsItsRunToTheEndInOneCall) {
  TestScheduler lab({.compute_threads = 2});
  TestDag dag(fan(5));
  warm_up(lab, dag, nanoseconds(20));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(work_strand(lab, 0));
  EXPECT_EQ(notes->text(), "source f0 f1 f2 f3 f4 sink");
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  EXPECT_EQ(lab.pool->counters().executed, 2 * 7U);
  EXPECT_FALSE(work_strand(lab, 0));
}

TEST(StrandTest, WholeStrandsAndSingleStepsGoTheSameWay) {
  const auto order_of = [](auto drive) {
    TestScheduler lab({.compute_threads = 1});
    TestDag dag(fan(6));
    warm_up(lab, dag, nanoseconds(20));
    const auto notes = std::make_shared<Notes>();
    const RunHandle run = lab.submit(dag, notes);
    while (drive(lab)) {
    }
    EXPECT_EQ(run.outcome(), RunOutcome::kOk);
    return notes->text();
  };
  EXPECT_EQ(order_of([](TestScheduler& lab) { return lab.step(0); }),
            order_of([](TestScheduler& lab) { return work_strand(lab, 0); }));
}

TEST(StrandTest, K2_TheLastTokenMakesASharedJoinReadyOnce) {
  TestScheduler lab({.compute_threads = 2});
  TestDag dag(fan(2));
  warm_up(lab, dag, milliseconds(1));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  ASSERT_TRUE(lab.worker(0).start());  // each worker is in one side
  ASSERT_TRUE(lab.worker(1).start());
  lab.worker(1).finish();
  EXPECT_FALSE(lab.worker(1).start());  // one token short
  lab.worker(0).finish();
  EXPECT_TRUE(lab.step(0));
  lab.settle();
  EXPECT_EQ(notes->order.back(), "sink");
  EXPECT_EQ(notes->order.size(), 4U);
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
}

TEST(StrandTest, C1_NoNodeStartsOnceTheRunIsToStop) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag(fan(4));
  warm_up(lab, dag, nanoseconds(20));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  run.cancel();
  EXPECT_FALSE(lab.step(0));
  EXPECT_EQ(notes->text(), "source");
  EXPECT_EQ(run.outcome(), RunOutcome::kCancelled);
  EXPECT_EQ(lab.pool->ready_count(), 0);
  lab.settle();  // the loop, too, wants to answer a run that was cancelled
}

TEST(StrandTest, C5_AFailureDropsTheBacklogAtOnce) {
  TestScheduler lab({.compute_threads = 1});
  std::vector<NodeSpec> specs = fan(100);
  specs[1].body = [](const void*, NodeCall&) { return false; };  // f0, the best: it goes first
  TestDag dag(specs);
  warm_up(lab, dag, nanoseconds(20));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  EXPECT_TRUE(lab.step(0));
  EXPECT_EQ(run.outcome(), RunOutcome::kError);
  EXPECT_EQ(lab.pool->ready_count(), 0);
  EXPECT_FALSE(lab.step(0));
}

TEST(StrandTest, D4_WhatMadeRoomKeepsItsWholeBacklog) {
  TestScheduler lab({.compute_threads = 1, .max_inline_depth = 1});
  TestDag wide(fan(3));
  TestDag other({noting_node("other")});
  warm_up(lab, wide, nanoseconds(20));
  warm_up(lab, other, nanoseconds(20));
  const auto notes = std::make_shared<Notes>();
  const RunHandle first = lab.submit(wide, notes);
  const RunHandle second = lab.submit(other, notes);
  lab.settle();
  EXPECT_EQ(notes->text(), "source other f0 f1 f2 sink");
  EXPECT_EQ(first.outcome(), RunOutcome::kOk);
}

TEST(StrandTest, D8_TokensOfSiblingsGoTogetherAndNoneIsLostWhenAStrandMakesRoom) {
  for (const std::uint32_t depth : {1U, 2U, 5U}) {
    // So many that a part is worth sharing: tokens are counted, and most siblings stay private.
    TestScheduler lab(
        {.compute_threads = 2, .max_inline_depth = depth, .bundle_price = nanoseconds(1000)});
    TestDag wide(fan(64));
    TestDag other({noting_node("other")});
    warm_up(lab, wide, nanoseconds(100));
    warm_up(lab, other, nanoseconds(100));
    const auto notes = std::make_shared<Notes>();
    const RunHandle run = lab.submit(wide, notes);
    std::vector<RunHandle> others;
    for (int round = 0; round < 40; ++round) {
      others.push_back(lab.submit(other, std::make_shared<Notes>()));
      EXPECT_TRUE(lab.step(0));
      EXPECT_TRUE(lab.step(0));
    }
    lab.settle();
    EXPECT_EQ(notes->order.size(), 66U);
    EXPECT_EQ(notes->order.back(), "sink");
    EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  }
}

TEST(StrandTest, D8_AnUnsharedRunPublishesNothing) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag(fan(50));
  warm_up(lab, dag, milliseconds(1));  // dear, but there is nobody to share with
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(work_strand(lab, 0));
  EXPECT_EQ(lab.pool->counters().published, 0U);
  EXPECT_EQ(lab.pool->counters().queued, 2U);  // the two runs themselves
  EXPECT_EQ(notes->order.size(), 52U);
}

/// Runs an inner DAG from the body "outer" of another.
struct Nesting {
  WorkerPool* pool = nullptr;
  TestDag* inner = nullptr;
  Notes notes;
};

TEST(StrandTest, D7_ABodyThatRunsAGraphGoesOnWhereItWas) {
  TestScheduler lab({.compute_threads = 1});
  TestDag inner(fan(3));
  warm_up(lab, inner, nanoseconds(20));
  const auto spec = [](std::string id, std::vector<std::string> after, BodyFunction body) {
    NodeSpec made;
    made.id = std::move(id);
    made.after = std::move(after);
    made.body = body;
    return made;
  };
  const auto say = [](const void*, NodeCall& call) {
    static_cast<Nesting*>(call.context())->notes.order.emplace_back(call.node_id());
    return true;
  };
  const auto nest = [](const void*, NodeCall& call) {
    auto& nesting = *static_cast<Nesting*>(call.context());
    const bool ok = nesting.inner->runs().run(*nesting.pool, &nesting.notes, {}).has_value();
    nesting.notes.order.emplace_back(call.node_id());
    return ok;
  };
  TestDag outer({spec("first", {}, say),
                 spec("outer", {"first"}, nest),
                 spec("sibling", {"first"}, say),
                 spec("last", {"outer", "sibling"}, say)});
  outer.teach(nanoseconds(20));
  const auto nesting = std::make_shared<Nesting>();
  nesting->pool = lab.pool.get();
  nesting->inner = &inner;
  const auto run = outer.runs().submit(*lab.pool, nesting, {}, {});
  ASSERT_TRUE(run.has_value());
  EXPECT_TRUE(work_strand(lab, 0));
  EXPECT_EQ(nesting->notes.text(), "first source f0 f1 f2 sink outer sibling last");
  EXPECT_EQ(run->outcome(), RunOutcome::kOk);
}

}  // namespace
}  // namespace millrace::runtime
