#include "runtime/pool_inbox.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "loop/loop_fixture.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/node.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {
namespace {

constexpr auto kNormal = static_cast<std::size_t>(Priority::kNormal);

// The payload of what is taken next, or -1.
std::int64_t take_next(PoolInbox<>& inbox, std::size_t priority = kNormal) {
  DequeItem item;
  return inbox.try_take(priority, item) ? static_cast<std::int64_t>(item.payload) : -1;
}

TEST(PoolInboxTest, TakesWhatCameFirstFirst) {
  PoolInbox<> inbox;
  std::array<QueueEntry, 4> entries;
  for (std::uint64_t index = 0; index < entries.size(); ++index) entries[index].payload = index;
  inbox.push(entries[0], Priority::kNormal);
  inbox.push(entries[1], Priority::kNormal);
  EXPECT_EQ(take_next(inbox), 0);
  inbox.push(entries[2], Priority::kNormal);
  EXPECT_EQ(inbox.size_hint(), 2);
  EXPECT_EQ(take_next(inbox), 1);
  EXPECT_EQ(take_next(inbox), 2);
  EXPECT_FALSE(inbox.classes().any());
  EXPECT_EQ(take_next(inbox), -1);
  inbox.push(entries[3], Priority::kLow);
  EXPECT_EQ(take_next(inbox), -1);
  EXPECT_EQ(take_next(inbox, static_cast<std::size_t>(Priority::kLow)), 3);
}

TEST(PoolInboxTest, AStrandThatMakesRoomGoesBehindWhatCameBefore) {
  PoolInbox<> inbox;
  std::array<QueueEntry, 2> entries;
  entries[0].payload = 10;
  entries[1].payload = 11;
  inbox.push(entries[0], Priority::kNormal);
  inbox.push_strand({.run = nullptr, .payload = 5}, kNormal);
  inbox.push(entries[1], Priority::kNormal);
  EXPECT_EQ(take_next(inbox), 10);
  EXPECT_EQ(take_next(inbox), 5);
  EXPECT_EQ(take_next(inbox), 11);
}

TEST(PoolInboxTest, GivesAPartOfOneRunOnlyIfThatIsTheOldest) {
  PoolInbox<> inbox;
  int mine = 0;
  int other = 0;
  DequeItem item;
  inbox.push_strand({.run = &other, .payload = 1}, kNormal);
  inbox.push_strand({.run = &mine, .payload = 2}, kNormal);
  EXPECT_FALSE(inbox.try_take_of(&mine, kNormal, item));
  EXPECT_EQ(take_next(inbox), 1);
  EXPECT_EQ(inbox.peek_oldest(kNormal), &mine);
  ASSERT_TRUE(inbox.try_take_of(&mine, kNormal, item));
  EXPECT_EQ(item.payload, 2U);
}

TEST(PoolInboxTest, D10_RunsStartInTheOrderInWhichTheyCame) {
  TestScheduler lab({.compute_threads = 2});
  TestDag first({noting_node("a0"), noting_node("a1", {"a0"})});
  TestDag second({noting_node("b")});
  TestDag third({noting_node("c")});
  TestDag fourth({noting_node("d")});
  const auto notes = std::make_shared<Notes>();
  const RunHandle runs[] = {
      lab.submit(first, notes), lab.submit(second, notes), lab.submit(third, notes)};
  EXPECT_TRUE(lab.step(0));  // the first worker has seen all three, and is in the first
  const RunHandle late = lab.submit(fourth, notes);
  for (int run = 0; run < 3; ++run) EXPECT_TRUE(lab.step(1));
  EXPECT_EQ(notes->text(), "a0 b c d");
  lab.settle();
}

TEST(PoolInboxTest, D10_RunsThatFollowOneAnotherOnAWorkerLetOthersIn) {
  // A turn is two nodes, whatever they cost.
  TestScheduler lab({.compute_threads = 1, .max_inline_depth = 2});
  TestDag again({noting_node("again")});
  TestDag other({noting_node("other")});
  struct Repeat {
    TestScheduler& lab;
    TestDag& dag;
    std::shared_ptr<Notes> notes;
    int left;
    static void on_answer(runtime::Run& /*run*/, void* data) {
      auto& self = *static_cast<Repeat*>(data);
      if (self.left-- == 0) return;
      const RunObserver observer{.on_answer = on_answer, .data = data};
      ASSERT_TRUE(self.dag.runs().submit(*self.lab.pool, self.notes, {}, observer).has_value());
    }
  } repeat{lab, again, std::make_shared<Notes>(), 20};
  const RunObserver observer{.on_answer = Repeat::on_answer, .data = &repeat};
  ASSERT_TRUE(again.runs().submit(*lab.pool, repeat.notes, {}, observer).has_value());
  EXPECT_TRUE(lab.step(0));
  const RunHandle outside = lab.submit_without_loop(other, repeat.notes, {});
  for (int step = 0; step < 6; ++step) EXPECT_TRUE(lab.step(0));
  EXPECT_NE(repeat.notes->text().find("other"), std::string::npos) << repeat.notes->text();
  lab.settle();
  EXPECT_EQ(repeat.notes->order.size(), 22U);
}

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
