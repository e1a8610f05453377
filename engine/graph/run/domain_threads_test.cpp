#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "graph/body/graph_context.h"
#include "graph/run/domain.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"

namespace millrace::graph {
namespace {

/// Notes on which threads bodies run.
class ThreadNotes {
 public:
  void note() {
    const base::MutexLock lock(mutex_);
    ids_.insert(std::this_thread::get_id());
  }
  [[nodiscard]] std::set<std::thread::id> ids() {
    const base::MutexLock lock(mutex_);
    return ids_;
  }

 private:
  base::Mutex mutex_;
  std::set<std::thread::id> ids_ MR_GUARDED_BY(mutex_);
};

TEST(DomainThreads, G41_AnIsolatedLaneHasOneThreadOfItsOwn) {
  ThreadNotes isolated;
  ThreadNotes main;
  TestTypes types;
  int left = 50;
  types.add_body("t.Isolated", [&](const Invocation&, GraphContext& context) -> base::Status {
    isolated.note();
    if (--left == 0) context.finish();
    return {};
  });
  types.add_body("t.Main", [&](const Invocation&, GraphContext& context) -> base::Status {
    main.note();
    context.finish();
    return {};
  });
  const auto result =
      run_graph_in_wall_time({.lanes = {"main: {type: event_loop}", "own: {type: isolated_thread}"},
                              .components = {"id: m, type: t.Main, execution: {lane: main}",
                                             "id: i, type: t.Isolated, execution: {lane: own}"}},
                             {},
                             types);
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kIdle);
  EXPECT_EQ(isolated.ids().size(), 1U);
  EXPECT_EQ(main.ids().size(), 1U);
  EXPECT_NE(isolated.ids(), main.ids());
}

TEST(DomainThreads, G36_APoolUsesAsManyThreadsAsItIsWideForTheWholeRun) {
  for (const std::string name : {"", ", thread_name: crew"}) {
    ThreadNotes pool;
    TestTypes types;
    types.add_body("t.Work", [&](const Invocation& invocation, GraphContext&) -> base::Status {
      if (!invocation.messages().empty()) pool.note();
      return {};
    });
    const auto result = run_graph_in_wall_time(
        {.lanes = {"main: {type: event_loop}",
                   "pool: {type: thread_pool, max_threads: 3" + name + "}"},
         .components = {"id: s, type: core.counter, config: {count: 300, per_invocation: 6}, "
                        "execution: {lane: main}",
                        "id: w, type: t.Work, trigger_policy: {type: any_input}, execution: {lane: "
                        "pool, reentrant: true}"},
         .edges = {"id: e, kind: immediate, from: s.out, to: w.in, policy: {mode: queue, capacity: "
                   "8}"}},
        {},
        types);
    EXPECT_EQ(result.metric("runtime.component.execution_count", "w"), 300);
    EXPECT_LE(pool.ids().size(), 3U);
    EXPECT_EQ(result.metric("runtime.scheduler.worker_count", "pool"), 3);
  }
}

}  // namespace
}  // namespace millrace::graph
