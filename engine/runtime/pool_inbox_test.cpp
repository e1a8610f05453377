#include <memory>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "loop/loop_fixture.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {
namespace {

TEST(PoolInboxTest, APostedJobRunsOnceOnAWorker) {
  TestScheduler lab({.compute_threads = 1});
  int count = 0;
  bool was_current = false;
  loop::FunctionJob job([&] {
    ++count;
    was_current = lab.pool->is_current();
  });
  lab.pool->post(job);
  EXPECT_EQ(count, 0);
  EXPECT_FALSE(lab.pool->is_current());
  lab.settle();
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(was_current);
}

TEST(PoolInboxTest, B1_ReadyNodesAndRunsAreCounted) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a"), noting_node("b"), noting_node("c"), noting_node("d")});
  dag.teach(base::Duration(20));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  EXPECT_TRUE(lab.step(0));
  EXPECT_EQ(lab.pool->ready_count(), 2);  // two wait, one is the strand's next
  lab.settle();
  EXPECT_EQ(lab.pool->ready_count(), 0);
}

TEST(PoolInboxTest, P3_TheInboxKeepsClassesApart) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("node")});
  TestDag urgent({noting_node("urgent")});
  const auto notes = std::make_shared<Notes>();
  const RunHandle first = lab.submit(dag, notes, {.priority = Priority::kBackground});
  const RunHandle second = lab.submit(dag, notes, {.priority = Priority::kLow});
  const RunHandle third = lab.submit(urgent, notes, {.priority = Priority::kHigh});
  EXPECT_TRUE(lab.step(0));
  EXPECT_EQ(notes->text(), "urgent");
  lab.settle();
  EXPECT_EQ(notes->order.size(), 3U);
}

TEST(PoolInboxTest, APoolThatGoesHasDoneTheJobsThatWerePosted) {
  int done = 0;
  loop::FunctionJob second([&] { ++done; });
  std::unique_ptr<WorkerPool> pool;
  loop::FunctionJob first([&] {
    ++done;
    pool->post(second);
  });
  pool = *WorkerPool::create({.compute_threads = 1});
  WorkerPool& posted_to = *pool;
  posted_to.post(first);
  EXPECT_EQ(done, 0);  // it has no thread
  // The job finds the pool through the pointer, so it stays valid until the destructor is through.
  pool.get_deleter()(pool.get());
  static_cast<void>(pool.release());
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace millrace::runtime
