#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "loop/fake_loop.h"
#include "loop/loop_fixture.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {
namespace {

/// Remembers who ran its nodes.
struct Where {
  std::vector<std::thread::id> threads;
};

NodeSpec where_node(std::string id, std::vector<std::string> after = {}) {
  NodeSpec spec;
  spec.id = std::move(id);
  spec.after = std::move(after);
  spec.body = [](const void*, NodeCall& call) {
    static_cast<Where*>(call.context())->threads.push_back(std::this_thread::get_id());
    return true;
  };
  return spec;
}

TEST(PoolCallersTest, D7_ACallerThatWaitsRunsTheGraphItself) {
  const auto pool = *WorkerPool::create({.compute_threads = 1});
  TestDag dag({where_node("a"), where_node("b", {"a"})});
  Where where;
  ASSERT_TRUE(dag.runs().run(*pool, &where, {}).has_value());
  EXPECT_THAT(where.threads,
              testing::ElementsAre(std::this_thread::get_id(), std::this_thread::get_id()));
}

TEST(PoolCallersTest, C13_ACallerWithADeadlineRunsWhatIsShort) {
  const auto pool = *WorkerPool::create({.compute_threads = 2});
  base::ManualClock clock;
  loop::FakeLoop loop(clock);
  const auto threads_of_run = [&](base::Duration cost) {
    TestDag dag({where_node("a"), where_node("b", {"a"}), where_node("c", {"b"})});
    dag.teach(cost);
    const auto where = std::make_shared<Where>();
    const base::TimePoint deadline = base::steady_clock().now() + std::chrono::minutes(1);
    EXPECT_TRUE(
        dag.runs().run_owned(*pool, where, {.deadline = deadline, .loop = &loop}).has_value());
    return where->threads;
  };
  const auto self = std::this_thread::get_id();
  EXPECT_THAT(threads_of_run(std::chrono::microseconds(20)), testing::Each(self));
  // Bodies that may take longer than there is time are left to the pool's own thread.
  EXPECT_THAT(threads_of_run(std::chrono::seconds(30)), testing::Each(testing::Ne(self)));
}

TEST(PoolCallersTest, D7_CallersThatDoNotHelpRunNothing) {
  const auto pool = *WorkerPool::create({.compute_threads = 2, .callers_help = false});
  TestDag dag({where_node("a"), where_node("b", {"a"}), where_node("c", {"b"})});
  constexpr int kRuns = 50;
  for (int run = 0; run < kRuns; ++run) {
    Where where;
    EXPECT_TRUE(dag.runs().run(*pool, &where, {}).has_value());
    EXPECT_THAT(where.threads, testing::Each(testing::Ne(std::this_thread::get_id())));
  }
  WaitGroup group;
  group.add(1);
  const auto where = std::make_shared<Where>();
  const RunObserver observer{
      .on_answer = [](runtime::Run&, void* data) { static_cast<WaitGroup*>(data)->done(); },
      .data = &group};
  const auto run = dag.runs().submit(*pool, where, {}, observer);
  pool->help_until_done(group);
  EXPECT_THAT(where->threads, testing::Each(testing::Ne(std::this_thread::get_id())));
}

TEST(PoolCallersTest, AWaitGroupForgetsWhoeverWaitedForIt) {
  for (const bool helps : {false, true}) {
    const auto pool = *WorkerPool::create({.compute_threads = 2, .callers_help = helps});
    WaitGroup group;
    group.add(1);
    loop::FunctionJob job([&group] { group.done(); });
    pool->post(job);
    pool->help_until_done(group);
    group.add(1);
    group.done();  // nobody waits: it must not look for the waiter of before
    EXPECT_FALSE(group.is_open());
  }
}

/// Two bodies that wait for each other.
struct Meeting {
  std::atomic<int> arrived{0};
};

TEST(PoolCallersTest, C13_ARunWithADeadlineHasAllWorkersAlthoughItsCallerOnlyWaits) {
  const auto pool = *WorkerPool::create({.compute_threads = 2});
  base::ManualClock clock;
  loop::FakeLoop loop(clock);
  const auto meet = [](const void*, NodeCall& call) {
    auto& meeting = *static_cast<Meeting*>(call.context());
    ++meeting.arrived;
    while (meeting.arrived < 2) std::this_thread::yield();  // for ever, if one thread is alone
    return true;
  };
  NodeSpec first = noting_node("first");
  NodeSpec second = noting_node("second");
  first.body = meet;
  second.body = meet;
  // Nothing is measured, so the caller must not help: it could be too late for its deadline.
  TestDag dag({first, second});
  const auto meeting = std::make_shared<Meeting>();
  const base::TimePoint deadline = base::steady_clock().now() + std::chrono::minutes(10);
  EXPECT_TRUE(
      dag.runs().run_owned(*pool, meeting, {.deadline = deadline, .loop = &loop}).has_value());
  EXPECT_EQ(meeting->arrived, 2);
}

/// Bodies that meet in pairs: each pair needs two threads at the same time.
struct Pairs {
  std::array<std::atomic<int>, 2> arrived{};
};

bool meet(Pairs& pairs, std::size_t pair) {
  ++pairs.arrived[pair];
  while (pairs.arrived[pair] < 2) std::this_thread::yield();  // for ever, if one thread is alone
  return true;
}

TEST(PoolCallersTest, C13_ACallerWithADeadlineIsCalledBackForItsRun) {
  // The caller has nothing to do while one body of the pool's thread takes longer than it looks for
  // work. What follows from that body needs two threads.
  const auto pool = *WorkerPool::create({.compute_threads = 2});
  base::ManualClock clock;
  loop::FakeLoop loop(clock);
  const auto node = [](std::string id, std::vector<std::string> after, BodyFunction body) {
    NodeSpec spec = noting_node(std::move(id), std::move(after));
    spec.body = body;
    return spec;
  };
  const BodyFunction free = [](const void*, NodeCall&) { return true; };
  const BodyFunction first = [](const void*, NodeCall& call) {
    return meet(*static_cast<Pairs*>(call.context()), 0);
  };
  const BodyFunction long_one = [](const void*, NodeCall& call) {
    const base::TimePoint begin = base::steady_clock().now();
    const bool ok = meet(*static_cast<Pairs*>(call.context()), 0);
    while (base::steady_clock().now() - begin < std::chrono::microseconds(300))
      std::this_thread::yield();
    return ok;
  };
  const BodyFunction second = [](const void*, NodeCall& call) {
    return meet(*static_cast<Pairs*>(call.context()), 1);
  };
  TestDag dag({node("source", {}, free),
               node("ends", {"source"}, first),
               node("goes_on", {"source"}, long_one),
               node("left", {"goes_on"}, second),
               node("right", {"goes_on"}, second)});
  for (std::uint32_t index = 0; index < dag.topology().node_count(); ++index)
    dag.teach(index, std::chrono::milliseconds(index == dag.node("ends") ? 10 : 1));
  dag.costs().refresh();  // the caller goes on with the dearest and shares the others
  constexpr int kRuns = 50;
  for (int run = 0; run < kRuns; ++run) {
    const auto pairs = std::make_shared<Pairs>();
    const base::TimePoint deadline = base::steady_clock().now() + std::chrono::hours(1);
    ASSERT_TRUE(
        dag.runs().run_owned(*pool, pairs, {.deadline = deadline, .loop = &loop}).has_value());
    EXPECT_EQ(pairs->arrived[1], 2);
  }
}

TEST(PoolCallersTest, D7_MoreCallersThanSlotsStillGetTheirAnswers) {
  // Beyond the slots a caller waits without helping; the pool's own thread does the work.
  const auto pool = *WorkerPool::create({.compute_threads = WorkerPool::kSlotMax});
  TestDag dag({noting_node("a")});
  constexpr int kCallerCount = 4;
  std::vector<std::jthread> callers;
  callers.reserve(kCallerCount);
  for (int caller = 0; caller < kCallerCount; ++caller) {
    callers.emplace_back([&] {
      Notes notes;
      EXPECT_TRUE(dag.runs().run(*pool, &notes, {}).has_value());
      EXPECT_EQ(notes.text(), "a");
    });
  }
}

TEST(PoolCallersTest, HelpingEndsWhenTheGroupIsDone) {
  const auto pool = *WorkerPool::create({.compute_threads = 2});
  TestDag dag({where_node("a")});
  WaitGroup group;
  constexpr int kRuns = 20;
  group.add(kRuns);
  const RunObserver observer{
      .on_answer = [](runtime::Run&, void* data) { static_cast<WaitGroup*>(data)->done(); },
      .data = &group};
  std::vector<RunHandle> runs;
  runs.reserve(kRuns);
  for (int run = 0; run < kRuns; ++run) {
    runs.push_back(*dag.runs().submit(*pool, std::make_shared<Where>(), {}, observer));
  }
  pool->help_until_done(group);
  EXPECT_FALSE(group.is_open());
  for (const RunHandle& run : runs) EXPECT_EQ(run.outcome(), RunOutcome::kOk);
}

}  // namespace
}  // namespace millrace::runtime
