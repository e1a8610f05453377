#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

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

TEST(SharingTest, P5_ThievesTakeTheOldestAndTheOwnerTheNewest) {
  TestScheduler lab({.compute_threads = 2});
  TestDag dag(fan(4));
  dag.teach(milliseconds(1));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));  // source; goes on with f0, shares f3 f2 f1 in this order
  EXPECT_TRUE(lab.step(1));
  EXPECT_TRUE(lab.step(0));
  EXPECT_TRUE(lab.step(0));
  EXPECT_EQ(notes->text(), "source f3 f0 f1");
  lab.settle();
  EXPECT_EQ(lab.pool->counters().stolen, 1U);
}

TEST(SharingTest, D6_CheapSiblingsStayPrivate) {
  TestScheduler lab({.compute_threads = 2});
  TestDag dag(fan(8));
  dag.teach(nanoseconds(20));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  EXPECT_FALSE(lab.step(1));
  EXPECT_EQ(lab.pool->counters().published, 0U);
  lab.settle();
  EXPECT_EQ(notes->order.size(), 10U);
}

TEST(SharingTest, D6_AColdPlanSharesEagerly) {
  TestScheduler lab({.compute_threads = 2});
  TestDag dag(fan(2));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  EXPECT_TRUE(lab.step(1));
  EXPECT_EQ(lab.pool->counters().stolen, 1U);
  lab.settle();
}

// A node that never succeeds, because what it reads is down, has no cost. The others have theirs.
TEST(SharingTest, D11_NodesThatAreKnownToBeCheapStayPrivateInAPlanThatIsNotWarm) {
  TestScheduler lab({.compute_threads = 2});
  std::vector<NodeSpec> specs{noting_node("n0")};
  for (int step = 1; step <= 20; ++step) {
    const std::string before = "n" + std::to_string(step - 1);
    specs.push_back(noting_node("side" + std::to_string(step), {before}));
    specs.push_back(noting_node("n" + std::to_string(step), {before}));
  }
  specs.push_back(noting_node("never", {"n20"}));
  TestDag dag(std::move(specs));
  for (std::uint32_t node = 0; node + 1 < dag.topology().node_count(); ++node)
    dag.teach(node, nanoseconds(20));
  dag.costs().refresh();
  ASSERT_FALSE(dag.costs().is_warm());
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  EXPECT_EQ(lab.pool->counters().published, 0U);
  EXPECT_EQ(notes->order.size(), 42U);
}

TEST(SharingTest, D6_ALargePrivateBacklogIsSharedInOnePiece) {
  TestScheduler lab({.compute_threads = 2, .bundle_price = microseconds(1)});
  TestDag dag(fan(64));
  dag.teach(nanoseconds(100));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  EXPECT_GE(lab.pool->counters().published, 1U);
  EXPECT_LE(lab.pool->counters().published, 4U);
  EXPECT_TRUE(lab.step(1));
  lab.settle();
  EXPECT_EQ(notes->order.size(), 66U);
}

TEST(SharingTest, D6_APeerRescuesWhatALongBodyHoldsBack) {
  TestScheduler lab({.compute_threads = 2});
  TestDag dag(fan(8));
  dag.teach(nanoseconds(20));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  Worker& stuck = lab.worker(0);
  ASSERT_TRUE(stuck.start());  // in the body of f0, seven siblings private
  Worker& peer = lab.worker(1);
  EXPECT_FALSE(peer.start());
  for (int look = 0; look < 3; ++look) {
    static_cast<void>(peer.idle());
    lab.clock.advance(lab.pool->config().spin_time / 2);
  }
  ASSERT_TRUE(peer.start());
  peer.finish();
  EXPECT_EQ(lab.pool->counters().rescued, 1U);
  stuck.finish();
  lab.settle();
  EXPECT_EQ(notes->order.size(), 10U);
}

// Nodes that are not worth a hand-over stay where they are while their worker goes from one to the
// next, however long that takes: a rescue costs more than they do (D11).
TEST(SharingTest, D11_AWorkerThatGetsOnKeepsItsBacklog) {
  TestScheduler lab({.compute_threads = 2});
  TestDag dag(fan(8));
  dag.teach(nanoseconds(20));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  Worker& owner = lab.worker(0);
  Worker& peer = lab.worker(1);
  EXPECT_FALSE(peer.start());
  for (int node = 0; node < 7; ++node) {
    ASSERT_TRUE(owner.start());
    static_cast<void>(peer.idle());
    owner.finish();
    lab.clock.advance(lab.pool->config().spin_time / 8);
  }
  EXPECT_EQ(lab.pool->counters().rescued, 0U);
  lab.settle();
  EXPECT_EQ(notes->order.size(), 10U);
}

TEST(SharingTest, D6_APeerThatWakesToWatchRescuesToo) {
  TestScheduler lab({.compute_threads = 2, .spin_time = microseconds(50)});
  TestDag dag(fan(8));
  dag.teach(nanoseconds(20));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  Worker& peer = lab.worker(1);
  EXPECT_FALSE(peer.start());
  static_cast<void>(peer.idle());
  lab.clock.advance(lab.pool->config().spin_time);
  const IdleAction action = peer.idle();  // worker 0 is in a strand: the peer only dozes
  ASSERT_EQ(action.kind, IdleAction::Kind::kPark);
  ASSERT_TRUE(action.timeout.has_value());
  Worker& stuck = lab.worker(0);
  ASSERT_TRUE(stuck.start());  // in the body of f0, seven siblings private
  lab.clock.advance(action.timeout.value_or(base::Duration::zero()));
  ASSERT_TRUE(peer.spot().cancel());
  peer.unparked(false);
  EXPECT_FALSE(peer.start());
  // It sees a body that may be a long one, and looks again before it sleeps.
  EXPECT_NE(peer.idle().kind, IdleAction::Kind::kPark);
  EXPECT_EQ(lab.pool->counters().rescued, 0U);
  lab.clock.advance(lab.pool->config().spin_time / 4);
  EXPECT_EQ(peer.idle().kind, IdleAction::Kind::kRetry);
  EXPECT_EQ(lab.pool->counters().rescued, 1U);
  EXPECT_TRUE(peer.start());
  peer.finish();
  stuck.finish();
  lab.settle();
  EXPECT_EQ(notes->order.size(), 10U);
}

// The one that watched may find work. Whoever watches after it does not begin anew, or nodes would
// be held back for as long as there is a new watcher each time.
TEST(SharingTest, D6_AWatcherGoesOnWhereAnotherOneStopped) {
  TestScheduler lab({.compute_threads = 3, .spin_time = microseconds(50)});
  TestDag dag(fan(8));
  dag.teach(nanoseconds(20));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  Worker& stuck = lab.worker(0);
  ASSERT_TRUE(stuck.start());  // in the body of f0, seven siblings private
  for (const std::uint32_t watcher : {1U, 2U}) {
    Worker& peer = lab.worker(watcher);
    EXPECT_FALSE(peer.start());
    static_cast<void>(peer.idle());
  }
  lab.clock.advance(lab.pool->config().spin_time / 4);
  static_cast<void>(lab.worker(1).idle());  // sees it, and has something else to do from now on
  EXPECT_EQ(lab.pool->counters().rescued, 0U);
  lab.clock.advance(lab.pool->config().spin_time / 4);
  static_cast<void>(lab.worker(2).idle());  // looks for the first time
  EXPECT_EQ(lab.pool->counters().rescued, 1U);
  stuck.finish();
  lab.settle();
  EXPECT_EQ(notes->order.size(), 10U);
}

}  // namespace
}  // namespace millrace::runtime
