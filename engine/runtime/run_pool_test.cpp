#include "runtime/run_pool.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/result.h"
#include "loop/task.h"
#include "runtime/admission.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

TEST(RunPoolTest, K3_RunsOneAfterTheOtherShareOneObject) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a")});
  const auto notes = std::make_shared<Notes>();
  for (int turn = 0; turn < 5; ++turn) {
    const RunHandle run = lab.submit(dag, notes);
    lab.settle();
  }
  EXPECT_EQ(notes->order.size(), 5U);
  EXPECT_EQ(dag.runs().created_count(), 1U);
}

TEST(RunPoolTest, AsManyObjectsAsRunsAtTheSameTime) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a")});
  const auto notes = std::make_shared<Notes>();
  for (int round = 0; round < 2; ++round) {
    std::vector<RunHandle> runs;
    runs.reserve(4);
    for (int run = 0; run < 4; ++run) runs.push_back(lab.submit(dag, notes));
    lab.settle();
    EXPECT_EQ(dag.runs().created_count(), 4U);
  }
}

TEST(RunPoolTest, AHandleKeepsTheAnswerAfterTheEnd) {
  TestScheduler lab({.compute_threads = 1});
  NodeSpec failing = noting_node("bad");
  failing.body = [](const void*, NodeCall&) { return false; };
  TestDag dag({failing});
  const auto notes = std::make_shared<Notes>();
  const RunHandle failed = lab.submit(dag, notes);
  lab.settle();
  const RunHandle other = lab.submit(dag, notes);  // must not take the storage of the first
  other.cancel();
  lab.settle();
  EXPECT_EQ(failed.outcome(), RunOutcome::kError);
  EXPECT_EQ(other.outcome(), RunOutcome::kCancelled);
  EXPECT_NE(&failed.run(), &other.run());
}

TEST(RunPoolTest, TheContextLivesUntilTheLastReferenceIsGone) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a")});
  auto notes = std::make_shared<Notes>();
  const std::weak_ptr<Notes> watched = notes;
  RunHandle run = lab.submit(dag, notes);
  notes.reset();
  lab.settle();
  EXPECT_FALSE(watched.expired());
  run = {};
  EXPECT_TRUE(watched.expired());
}

TEST(RunPoolTest, WhoeverGetsTheAnswerMayKeepTheRun) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a")});
  auto notes = std::make_shared<Notes>();
  const std::weak_ptr<Notes> watched = notes;
  RunHandle kept;
  const RunObserver observer{
      .on_answer = [](runtime::Run& run,
                      void* data) { *static_cast<RunHandle*>(data) = RunHandle::share(run); },
      .data = &kept};
  auto run = dag.runs().submit(*lab.pool, std::move(notes), {}, observer);
  ASSERT_TRUE(run.has_value());
  lab.settle();
  *run = {};
  EXPECT_EQ(kept.outcome(), RunOutcome::kOk);
  EXPECT_FALSE(watched.expired());
  kept = {};
  EXPECT_TRUE(watched.expired());
}

TEST(RunPoolTest, AnswerAndReleaseAreToldOnceAndInThisOrder) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a")});
  std::string told;
  const RunObserver observer{
      .on_answer = [](runtime::Run&, void* data) { *static_cast<std::string*>(data) += "answer "; },
      .on_release = [](runtime::Run&,
                       void* data) { *static_cast<std::string*>(data) += "release"; },
      .data = &told};
  auto run = dag.runs().submit(*lab.pool, std::make_shared<Notes>(), {}, observer);
  ASSERT_TRUE(run.has_value());
  lab.settle();
  EXPECT_EQ(told, "answer ");
  *run = {};
  EXPECT_EQ(told, "answer release");
}

TEST(RunPoolTest, MovingAHandleMovesItsReference) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a")});
  const auto notes = std::make_shared<Notes>();
  RunHandle run = lab.submit(dag, notes);
  const RunHandle taken = std::move(run);
  EXPECT_FALSE(run.holds_run());  // NOLINT(bugprone-use-after-move): what the move leaves is empty
  EXPECT_TRUE(taken.holds_run());
  lab.settle();
  EXPECT_EQ(taken.outcome(), RunOutcome::kOk);
}

class AdmittedRunsTest : public testing::Test {
 protected:
  TestScheduler lab{{.compute_threads = 1}};
  // The gate closes when more than one node or run is ready.
  const std::unique_ptr<Admission> admission =
      Admission::create({.high_water = 1, .low_water = 1}, *lab.pool).value();
  base::Result<RunHandle> try_submit(TestDag& dag, const RunOptions& options = {}) {
    RunOptions with_loop = options;
    with_loop.loop = &lab.loop;
    return dag.runs().try_submit(*admission, *lab.pool, notes, with_loop, {});
  }
  std::shared_ptr<Notes> notes = std::make_shared<Notes>();
  TestDag dag{{noting_node("a")}};
};

TEST_F(AdmittedRunsTest, B1_TrySubmitSaysBusyAboveHighWaterAndWorksAgainBelow) {
  std::vector<RunHandle> runs;
  runs.reserve(2);
  for (int run = 0; run < 2; ++run) runs.push_back(try_submit(dag).value());
  const base::Result<RunHandle> refused = try_submit(dag);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), base::ErrorCode::kBusy);
  EXPECT_EQ(dag.runs().created_count(), 2U);  // a refused run costs nothing
  lab.settle();
  runs.clear();
  EXPECT_TRUE(try_submit(dag).has_value());
  lab.settle();
  EXPECT_EQ(notes->order.size(), 3U);
  const AdmissionStats stats = admission->stats();
  EXPECT_EQ(stats.accepted, 3U);
  EXPECT_EQ(stats.refused, 1U);
  EXPECT_EQ(stats.run_count, 0);
}

TEST_F(AdmittedRunsTest, B3_ARunThatIsTooLateIsRefusedAtOnce) {
  const RunOptions late{.deadline = lab.clock.now() - milliseconds(1)};
  const base::Result<RunHandle> refused = try_submit(dag, late);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), base::ErrorCode::kDeadlineExceeded);
}

TEST_F(AdmittedRunsTest, TheObserverOfAnAnswerMayStartTheNextRunAtOnce) {
  const auto one_at_a_time = Admission::create({.inflight_max = 1}, *lab.pool).value();
  struct Next {
    TestScheduler& lab;
    TestDag& dag;
    std::shared_ptr<Notes> notes;
    Admission& gate;
    int left = 5;
    int refused = 0;
    void start() {
      if (left-- == 0) return;
      const RunObserver observer{
          .on_answer = [](runtime::Run&, void* self) { static_cast<Next*>(self)->start(); },
          .data = this};
      const auto run = dag.runs().try_submit(gate, *lab.pool, notes, {.loop = &lab.loop}, observer);
      if (!run) ++refused;
    }
  } next{.lab = lab, .dag = dag, .notes = notes, .gate = *one_at_a_time};
  next.start();
  lab.settle();
  EXPECT_EQ(next.refused, 0);
  EXPECT_EQ(notes->order.size(), 5U);
  EXPECT_EQ(one_at_a_time->stats().run_count, 0);
}

TEST_F(AdmittedRunsTest, C2_BodiesBehindAnAnswerCountAgainstAdmission) {
  const RunOptions options{.deadline = lab.clock.now() + milliseconds(1)};
  RunHandle run = try_submit(dag, options).value();
  const DriverScope scope(lab.worker(0));
  EXPECT_EQ(lab.pool->active_count(), 0U);
  ASSERT_TRUE(lab.worker(0).start());
  EXPECT_EQ(lab.pool->active_count(), 1U);
  lab.clock.advance(milliseconds(2));
  static_cast<void>(lab.loop.run_ready());
  EXPECT_EQ(run.outcome(), RunOutcome::kDeadline);
  run = {};
  EXPECT_EQ(admission->stats().abandoned_count, 1);
  EXPECT_EQ(admission->stats().late_bodies, 0U);
  lab.worker(0).finish();
  EXPECT_EQ(admission->stats().abandoned_count, 0);
  EXPECT_EQ(admission->stats().late_bodies, 1U);
  EXPECT_EQ(lab.pool->active_count(), 0U);
  EXPECT_EQ(admission->stats().run_count, 0);
}

class RunPoolOptionsTest : public testing::Test {
 protected:
  static std::string refusal(const base::Status& status) {
    return status ? "" : status.error().to_string();
  }
  TestScheduler lab{{.compute_threads = 1}};
  std::shared_ptr<Notes> notes = std::make_shared<Notes>();
};

TEST_F(RunPoolOptionsTest, AsyncNodesNeedALoop) {
  NodeSpec async = noting_node("fetch");
  async.kind = NodeKind::kAsync;
  async.async_body = [](const void*, NodeCall) -> loop::Task<base::Status> {
    co_return base::Status{};
  };
  TestDag dag({async});
  EXPECT_THAT(refusal(dag.runs().run(*lab.pool, notes.get(), {})), HasSubstr("async nodes"));
  EXPECT_FALSE(dag.runs().submit(*lab.pool, notes, {}, {}).has_value());
}

TEST_F(RunPoolOptionsTest, TimeoutsAndDeadlinesNeedALoop) {
  NodeSpec timed = noting_node("timed");
  timed.timeout = milliseconds(1);
  TestDag with_timeout({timed});
  EXPECT_THAT(refusal(with_timeout.runs().run_owned(*lab.pool, notes, {})), HasSubstr("timeouts"));
  TestDag plain({noting_node("a")});
  const RunOptions options{.deadline = lab.clock.now() + milliseconds(1)};
  EXPECT_THAT(refusal(plain.runs().run_owned(*lab.pool, notes, options)), HasSubstr("deadline"));
}

TEST_F(RunPoolOptionsTest, ABudgetIsATimeFromTheStartOfTheRun) {
  TestDag dag({noting_node("a")});
  lab.clock.advance(milliseconds(5));
  const auto deadline_of = [&](RunOptions options) {
    const RunHandle run = lab.submit(dag, notes, options);
    EXPECT_FALSE(run.run().options().budget.has_value());
    const auto deadline = run.run().options().deadline;
    lab.settle();
    return deadline;
  };
  const base::TimePoint now = lab.clock.now();
  EXPECT_EQ(deadline_of({.budget = milliseconds(20)}), now + milliseconds(20));
  // The earlier one of both counts.
  EXPECT_EQ(deadline_of({.deadline = now + milliseconds(3), .budget = milliseconds(20)}),
            now + milliseconds(3));
  EXPECT_EQ(deadline_of({.deadline = now + milliseconds(30), .budget = milliseconds(20)}),
            now + milliseconds(20));
  // Longer than a year is a year: nothing overflows.
  EXPECT_EQ(deadline_of({.budget = base::Duration::max()}), now + std::chrono::hours(24 * 365));
}

TEST_F(RunPoolOptionsTest, ABudgetNeedsALoopAnOwnedContextAndNoMinusSign) {
  TestDag dag({noting_node("a")});
  RunOptions options{.budget = milliseconds(1)};
  EXPECT_THAT(refusal(dag.runs().run_owned(*lab.pool, notes, options)),
              HasSubstr("A budget needs a loop"));
  options.loop = &lab.loop;
  EXPECT_THAT(refusal(dag.runs().run(*lab.pool, notes.get(), options)), HasSubstr("shared_ptr"));
  options.budget = -milliseconds(1);
  EXPECT_THAT(refusal(dag.runs().run_owned(*lab.pool, notes, options)), HasSubstr("negative"));
  EXPECT_FALSE(dag.runs().submit(*lab.pool, notes, options, {}).has_value());
}

TEST_F(RunPoolOptionsTest, C2_ADeadlineNeedsAContextThatTheRunOwns) {
  TestDag dag({noting_node("a")});
  const RunOptions options{.deadline = lab.clock.now() + milliseconds(1), .loop = &lab.loop};
  EXPECT_THAT(refusal(dag.runs().run(*lab.pool, notes.get(), options)), HasSubstr("shared_ptr"));
  EXPECT_EQ(dag.runs().created_count(), 0U);  // no run object is left over
}

TEST_F(RunPoolOptionsTest, APoolWithoutThreadsTakesNoSubmissions) {
  const auto pool = *WorkerPool::create({.compute_threads = 1});
  TestDag dag({noting_node("a")});
  const auto run = dag.runs().submit(*pool, notes, {}, {});
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().code(), base::ErrorCode::kInvalidArgument);
  EXPECT_TRUE(dag.runs().run(*pool, notes.get(), {}).has_value());  // the caller does the work
  EXPECT_EQ(notes->text(), "a");
}

}  // namespace
}  // namespace millrace::runtime
