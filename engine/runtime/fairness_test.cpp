#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loop/loop_fixture.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"

// Turns of strands: what waits has its turn after a quantum of measured cost, whenever it came.

namespace millrace::runtime {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

std::vector<NodeSpec> chain_of(const std::string& name, int length) {
  std::vector<NodeSpec> specs{noting_node(name + "0")};
  for (int node = 1; node < length; ++node) {
    specs.push_back(noting_node(name + std::to_string(node), {name + std::to_string(node - 1)}));
  }
  return specs;
}

std::vector<NodeSpec> wide(int width) {
  std::vector<NodeSpec> specs{noting_node("source")};
  for (int node = 0; node < width; ++node)
    specs.push_back(noting_node("w" + std::to_string(node), {"source"}));
  return specs;
}

class FairnessTest : public testing::Test {
 protected:
  /// Makes every cost known; the first use of a run is measured, so that is over too.
  void warm_up(TestScheduler& lab, TestDag& dag, base::Duration cost) {
    dag.teach(cost);
    const RunHandle run = lab.submit(dag, std::make_shared<Notes>());
    lab.settle();
    dag.teach(cost);
    dag.teach(cost);
  }

  TestDag longer{chain_of("a", 8)};
  TestDag other{{noting_node("b")}};
  std::shared_ptr<Notes> notes = std::make_shared<Notes>();
};

TEST_F(FairnessTest, D4_AStrandGoesOnForAQuantumOfMeasuredCost) {
  TestScheduler lab({.compute_threads = 1});
  warm_up(lab, longer, microseconds(40));
  warm_up(lab, other, microseconds(40));
  const RunHandle first = lab.submit(longer, notes);
  const RunHandle second = lab.submit(other, notes);
  lab.settle();
  EXPECT_EQ(notes->text(), "a0 a1 a2 b a3 a4 a5 a6 a7");  // 3 nodes of 40 us are over 100 us
}

TEST_F(FairnessTest, D4_ShortRunsAreRunThroughNotInterleaved) {
  TestScheduler lab({.compute_threads = 1});
  warm_up(lab, longer, microseconds(1));
  warm_up(lab, other, microseconds(1));
  const RunHandle first = lab.submit(longer, notes);
  const RunHandle second = lab.submit(other, notes);
  lab.settle();
  EXPECT_EQ(notes->text(), "a0 a1 a2 a3 a4 a5 a6 a7 b");
}

TEST_F(FairnessTest, D10_WhatComesWhileAStrandRunsHasItsTurnToo) {
  TestScheduler lab({.compute_threads = 1, .max_inline_depth = 2});
  warm_up(lab, longer, nanoseconds(20));
  warm_up(lab, other, nanoseconds(20));
  const RunHandle first = lab.submit(longer, notes);
  EXPECT_TRUE(lab.step(0));
  const RunHandle second = lab.submit(other, notes);
  lab.settle();
  EXPECT_EQ(notes->text(), "a0 a1 b a2 a3 a4 a5 a6 a7");
}

TEST_F(FairnessTest, D10_AlsoInARunThatIsTracedOrMeasured) {
  TestScheduler lab({.compute_threads = 1, .max_inline_depth = 2});
  const RunHandle first = lab.submit(longer, notes);  // nothing is measured yet
  EXPECT_TRUE(lab.step(0));
  const RunHandle second = lab.submit(other, notes);
  lab.settle();
  EXPECT_EQ(notes->text(), "a0 a1 b a2 a3 a4 a5 a6 a7");
}

TEST_F(FairnessTest, D10_AJobHasItsTurn) {
  TestScheduler lab({.compute_threads = 1, .max_inline_depth = 2});
  warm_up(lab, longer, nanoseconds(20));
  const RunHandle first = lab.submit(longer, notes);
  EXPECT_TRUE(lab.step(0));
  loop::FunctionJob job([this] { notes->order.emplace_back("job"); });
  lab.pool->post(job);
  lab.settle();
  EXPECT_EQ(notes->text(), "a0 a1 job a2 a3 a4 a5 a6 a7");
}

TEST_F(FairnessTest, D10_PublishedSiblingsDoNotKeepAnotherRunOut) {
  TestScheduler lab({.compute_threads = 2});
  TestDag fan(wide(20));
  warm_up(lab, fan, milliseconds(1));
  const RunHandle first = lab.submit(fan, notes);
  EXPECT_TRUE(lab.step(0));  // the siblings lie in the worker's own queue now
  const RunHandle second = lab.submit(other, notes);
  for (int turn = 0; turn < 3; ++turn) EXPECT_TRUE(lab.step(0));
  EXPECT_THAT(notes->order, testing::Contains("b"));
  lab.settle();
}

TEST_F(FairnessTest, D4_LowerClassesWaitForTheirOwnGuard) {
  TestScheduler lab({.compute_threads = 1, .max_inline_depth = 1, .starvation_guard_every = 4});
  warm_up(lab, longer, nanoseconds(20));
  warm_up(lab, other, nanoseconds(20));
  const RunHandle first = lab.submit(longer, notes);
  EXPECT_TRUE(lab.step(0));
  const RunHandle second = lab.submit(other, notes, {.priority = Priority::kBackground});
  lab.settle();
  // A turn of the strand is a dispatch (P4): after four at most the lowest class is served.
  const auto place = std::find(notes->order.begin(), notes->order.end(), "b");
  EXPECT_GT(place - notes->order.begin(), 1);
  EXPECT_LE(place - notes->order.begin(), 5);
}

TEST_F(FairnessTest, D4_ADepthOfZeroInlinesNothing) {
  TestScheduler lab({.compute_threads = 1, .max_inline_depth = 0});
  const RunHandle run = lab.submit(longer, notes);
  lab.settle();
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  EXPECT_EQ(lab.pool->counters().inlined, 0U);
  EXPECT_EQ(lab.pool->counters().executed, 8U);
}

TEST_F(FairnessTest, T1_NodesWithoutAQueueAreCountedOnTheQuickWayToo) {
  TestScheduler lab({.compute_threads = 1});
  warm_up(lab, longer, nanoseconds(20));
  const std::uint64_t before = lab.pool->counters().inlined;
  const RunHandle run = lab.submit(longer, notes);
  lab.settle();
  EXPECT_EQ(lab.pool->counters().inlined - before, 7U);
}

}  // namespace
}  // namespace millrace::runtime
