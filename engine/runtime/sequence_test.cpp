#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/sequence_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

// Runs that no worker would share: one strand follows the sequence of their order.

namespace millrace::runtime {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

void expect_once_and_in_order(const std::vector<NodeSpec>& specs, const Notes& notes) {
  ASSERT_EQ(notes.order.size(), specs.size()) << notes.text();
  const auto place = [&](const std::string& id) {
    return std::ranges::find(notes.order, id) - notes.order.begin();
  };
  for (const NodeSpec& spec : specs) {
    ASSERT_EQ(std::ranges::count(notes.order, spec.id), 1) << spec.id;
    for (const std::string& producer : spec.after) {
      EXPECT_LT(place(producer), place(spec.id)) << producer << " before " << spec.id;
    }
  }
}

TEST(SequenceTest, K1_EveryNodeRunsOnceAfterItsProducers) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto specs = random_dag(40, seed);
    TestScheduler lab({.compute_threads = 2});
    TestDag dag(specs);
    make_cheap(lab, dag);
    const auto notes = std::make_shared<Notes>();
    const RunHandle run = lab.submit(dag, notes);
    lab.settle();
    expect_once_and_in_order(specs, *notes);
    EXPECT_EQ(run.outcome(), RunOutcome::kOk);
    EXPECT_EQ(lab.pool->counters().published, 0U);
  }
}

TEST(SequenceTest, D6_APeerRescuesTheRestFromAnyBody) {
  const auto specs = random_dag(30, 7);
  std::uint64_t rescued = 0;
  for (std::uint32_t stuck_at = 0; stuck_at < specs.size(); ++stuck_at) {
    TestScheduler lab({.compute_threads = 2});
    TestDag dag(specs);
    make_cheap(lab, dag);
    const auto notes = std::make_shared<Notes>();
    const RunHandle run = lab.submit(dag, notes);
    for (std::uint32_t step = 0; step < stuck_at; ++step) EXPECT_TRUE(lab.step(0));
    const std::uint32_t waiting = dag.costs().order().sequence[stuck_at].waiting;
    ASSERT_TRUE(lab.worker(0).start());
    EXPECT_FALSE(lab.worker(1).start());
    look_around(lab, lab.worker(1));
    EXPECT_EQ(lab.pool->counters().rescued, waiting > 0 ? 1U : 0U);
    if (waiting > 0) EXPECT_TRUE(lab.step(1));
    rescued += lab.pool->counters().rescued;
    lab.worker(0).finish();
    lab.settle();
    expect_once_and_in_order(specs, *notes);
    EXPECT_EQ(run.outcome(), RunOutcome::kOk);
    EXPECT_EQ(lab.pool->ready_count(), 0);
  }
  EXPECT_GT(rescued, specs.size() / 2);
}

TEST(SequenceTest, D6_WhatCouldBeWorthSharingCountsTokens) {
  TestScheduler lab({.compute_threads = 2, .bundle_price = microseconds(1)});
  std::vector<NodeSpec> specs;
  specs.reserve(64);
  for (int node = 0; node < 64; ++node) specs.push_back(noting_node("n" + std::to_string(node)));
  TestDag dag(specs);
  make_cheap(lab, dag);
  const std::uint64_t before = lab.pool->counters().published;
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  EXPECT_GT(lab.pool->counters().published, before);
  lab.settle();
  expect_once_and_in_order(specs, *notes);
}

/// Two runs of one DAG that wait for the same worker.
struct Rivals {
  Rivals(TestScheduler& lab, TestDag& dag)
      : one(lab.submit(dag, first)), two(lab.submit(dag, second)) {}
  void expect_both_complete(const std::vector<NodeSpec>& specs) const {
    expect_once_and_in_order(specs, *first);
    expect_once_and_in_order(specs, *second);
  }
  std::shared_ptr<Notes> first = std::make_shared<Notes>();
  std::shared_ptr<Notes> second = std::make_shared<Notes>();
  RunHandle one;
  RunHandle two;
};

TEST(SequenceTest, D4_MakesRoomAndGoesOnWhereItWas) {
  for (const std::uint32_t depth : {1U, 3U, 7U}) {
    const auto specs = random_dag(25, 3);
    TestScheduler lab({.compute_threads = 1, .max_inline_depth = depth});
    TestDag dag(specs);
    make_cheap(lab, dag);
    const Rivals rivals(lab, dag);
    for (std::uint32_t node = 0; node < depth; ++node) EXPECT_TRUE(lab.step(0));
    EXPECT_EQ(rivals.first->order.size(), depth);
    EXPECT_TRUE(lab.step(0));
    EXPECT_EQ(rivals.first->order.size(), depth);
    EXPECT_EQ(rivals.second->order.size(), 1U);
    lab.settle();
    rivals.expect_both_complete(specs);
  }
}

TEST(SequenceTest, D4_WithoutInlineDepthItLooksAtOthersAfterEveryNode) {
  TestScheduler lab({.compute_threads = 1, .max_inline_depth = 0});
  const auto specs = random_dag(12, 5);
  TestDag dag(specs);
  make_cheap(lab, dag);
  const Rivals rivals(lab, dag);
  const DriverScope scope(lab.worker(0));
  while (lab.worker(0).work_strand()) {
    EXPECT_LE(rivals.first->order.size(), rivals.second->order.size() + 1);
  }
  rivals.expect_both_complete(specs);
}

TEST(SequenceTest, B1_ReadyNodesAreCounted) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a"), noting_node("b"), noting_node("c")});
  make_cheap(lab, dag);
  const RunHandle run = lab.submit(dag, std::make_shared<Notes>());
  ASSERT_TRUE(lab.worker(0).start());
  EXPECT_EQ(lab.pool->ready_count(), 2);
  lab.worker(0).finish();
  lab.settle();
  EXPECT_EQ(lab.pool->ready_count(), 0);
}

}  // namespace
}  // namespace millrace::runtime
