#include "runtime/worker.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(WorkerTest, P1_OneWorkerRunsByRankThenDeclaration) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a"),
               noting_node("short", {"a"}),
               noting_node("tie", {"a"}),
               noting_node("long", {"a"}),
               noting_node("end", {"long"})});
  dag.teach(nanoseconds(100));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  EXPECT_EQ(notes->text(), "a long end short tie");
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
}

TEST(WorkerTest, P1_HoldsAmongSourcesToo) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("low"), noting_node("high"), noting_node("end", {"high"})});
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  EXPECT_EQ(notes->text(), "high end low");
}

TEST(WorkerTest, D2_AChainIsOneStrand) {
  TestScheduler lab({.compute_threads = 2});
  TestDag dag({noting_node("a"), noting_node("b", {"a"}), noting_node("c", {"b"})});
  dag.teach(milliseconds(1));  // dear, and still not worth a queue: nothing runs beside it
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  EXPECT_FALSE(lab.step(1));
  EXPECT_TRUE(lab.step(0));
  EXPECT_TRUE(lab.step(0));
  EXPECT_EQ(notes->text(), "a b c");
  EXPECT_EQ(lab.pool->counters().published, 0U);
}

TEST(WorkerTest, D3_OthersAreAvailableBeforeTheBestGoesOn) {
  TestScheduler lab({.compute_threads = 2});
  TestDag dag({noting_node("a"),
               noting_node("best", {"a"}),
               noting_node("other", {"a"}),
               noting_node("end", {"best"})});
  dag.teach(milliseconds(1));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  EXPECT_TRUE(lab.step(1));  // takes the other one while the first worker has not started the best
  EXPECT_EQ(notes->text(), "a other");
  lab.settle();
  EXPECT_EQ(notes->text(), "a other best end");
}

TEST(WorkerTest, D4_AStrandLetsOthersInAfterMaxInlineDepthNodes) {
  TestScheduler lab({.compute_threads = 1, .max_inline_depth = 2});
  std::vector<NodeSpec> chain{noting_node("a0")};
  for (int node = 1; node < 8; ++node) {
    chain.push_back(noting_node("a" + std::to_string(node), {"a" + std::to_string(node - 1)}));
  }
  TestDag longer(chain);
  TestDag other({noting_node("b")});
  longer.teach(nanoseconds(20));
  other.teach(nanoseconds(20));
  const auto notes = std::make_shared<Notes>();
  const RunHandle first = lab.submit(longer, notes);
  const RunHandle second = lab.submit(other, notes);
  lab.settle();
  EXPECT_EQ(notes->text(), "a0 a1 b a2 a3 a4 a5 a6 a7");
}

TEST(WorkerTest, P3_HigherClassesGoFirst) {
  TestScheduler lab({.compute_threads = 1});
  TestDag low({noting_node("low")});
  TestDag high({noting_node("high")});
  TestDag normal({noting_node("normal")});
  const auto notes = std::make_shared<Notes>();
  const RunHandle first = lab.submit(low, notes, {.priority = Priority::kLow});
  const RunHandle second = lab.submit(normal, notes);
  const RunHandle third = lab.submit(high, notes, {.priority = Priority::kHigh});
  lab.settle();
  EXPECT_EQ(notes->text(), "high normal low");
}

TEST(WorkerTest, P3_AClassNeverBypassesADependency) {
  TestScheduler lab({.compute_threads = 1});
  NodeSpec urgent = noting_node("urgent", {"slow"});
  urgent.priority = Priority::kHigh;
  NodeSpec slow = noting_node("slow");
  slow.priority = Priority::kBackground;
  TestDag dag({slow, urgent});
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  EXPECT_EQ(notes->text(), "slow urgent");
}

TEST(WorkerTest, P4_BackgroundWorkFinishesWithinTheBoundUnderHighLoad) {
  constexpr std::uint32_t kEvery = 16;
  TestScheduler lab({.compute_threads = 1, .starvation_guard_every = kEvery});
  TestDag background({noting_node("background")});
  TestDag high({noting_node("high")});
  background.teach(nanoseconds(20));
  high.teach(nanoseconds(20));
  const auto notes = std::make_shared<Notes>();
  std::vector<RunHandle> runs;
  runs.push_back(lab.submit(background, notes, {.priority = Priority::kBackground}));
  for (std::uint32_t turn = 0; turn < 2 * kEvery; ++turn) {
    runs.push_back(lab.submit(high, notes, {.priority = Priority::kHigh}));
    runs.push_back(lab.submit(high, notes, {.priority = Priority::kHigh}));  // never runs dry
    EXPECT_TRUE(lab.step(0));
  }
  const auto place = std::find(notes->order.begin(), notes->order.end(), "background");
  ASSERT_NE(place, notes->order.end());
  EXPECT_LE(place - notes->order.begin(), kEvery);
  EXPECT_GE(lab.pool->counters().starvation_guard_count, 1U);
  lab.settle();
}

TEST(WorkerTest, P4_EveryNodeOutOfAQueueIsADispatch) {
  constexpr std::uint32_t kEvery = 4;
  TestScheduler lab({.compute_threads = 2, .starvation_guard_every = kEvery});
  TestDag wide(fan(40));
  TestDag background({noting_node("background")});
  wide.teach(milliseconds(1));
  const auto notes = std::make_shared<Notes>();
  const RunHandle first = lab.submit(wide, notes);
  EXPECT_TRUE(lab.step(0));  // the siblings lie in the worker's own queue now
  const RunHandle second = lab.submit(background, notes, {.priority = Priority::kBackground});
  for (std::uint32_t turn = 0; turn < 2 * kEvery; ++turn) EXPECT_TRUE(lab.step(0));
  EXPECT_THAT(notes->order, testing::Contains("background"));
  EXPECT_EQ(lab.pool->counters().starvation_guard_count, 1U);
  lab.settle();
}

TEST(WorkerTest, D7_WholeRunsAreStolenBeforeNodes) {
  TestScheduler lab({.compute_threads = 2});
  TestDag wide(fan(4));
  TestDag other({noting_node("other")});
  wide.teach(milliseconds(1));
  other.teach(milliseconds(1));
  const auto notes = std::make_shared<Notes>();
  const RunHandle first = lab.submit(wide, notes);
  const RunHandle second = lab.submit(other, notes);
  EXPECT_TRUE(lab.step(0));  // takes both runs out of the inbox and starts the first
  EXPECT_TRUE(lab.step(1));
  EXPECT_EQ(notes->text(), "source other");
  lab.settle();
}

TEST(WorkerTest, C5_AfterAFailureTheRestIsNotVisited) {
  TestScheduler lab({.compute_threads = 1});
  std::vector<NodeSpec> chain{noting_node("n0")};
  for (int node = 1; node < 500; ++node) {
    chain.push_back(noting_node("n" + std::to_string(node), {"n" + std::to_string(node - 1)}));
  }
  chain[5].body = [](const void*, NodeCall&) { return false; };
  TestDag dag(chain);
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  int steps = 0;
  while (lab.step(0)) ++steps;
  EXPECT_LE(steps, 7);
  EXPECT_EQ(run.outcome(), RunOutcome::kError);
  EXPECT_EQ(notes->order.size(), 5U);
}

TEST(WorkerTest, P6_AnIdleWorkerParksWithoutATimeLimit) {
  TestScheduler lab({.compute_threads = 1});
  Worker& worker = lab.worker(0);
  EXPECT_FALSE(worker.start());
  EXPECT_EQ(worker.idle().kind, IdleAction::Kind::kRetry);
  lab.clock.advance(lab.pool->config().spin_time);
  const IdleAction action = worker.idle();
  EXPECT_EQ(action.kind, IdleAction::Kind::kPark);
  EXPECT_EQ(action.timeout, std::nullopt);
  // A submission wakes it.
  TestDag dag({noting_node("a")});
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_FALSE(worker.spot().is_waiting());
  EXPECT_TRUE(worker.spot().wait(std::nullopt));
  worker.unparked(true);
  lab.settle();
  EXPECT_EQ(notes->text(), "a");
}

}  // namespace
}  // namespace millrace::runtime
