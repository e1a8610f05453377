#include "graph/run/runtime.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/watch/graph_event.h"
#include "graph/watch/health.h"
#include "loop/stop.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

RunText pool_graph(const std::string& pool, const std::string& execution, int count) {
  return {
      .lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, " + pool + "}"},
      .components =
          {base::format("id: s, type: core.counter, config: {{count: {0}, per_invocation: {0}}}, "
                        "execution: {{lane: main}}",
                        count),
           "id: w, type: core.spend, config: {cost: 10ms}, trigger_policy: {type: any_input}, "
           "execution: {lane: pool, " +
               execution + "}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}"},
      .edges = {
          "id: sw, kind: immediate, from: s.out, to: w.in, policy: {mode: queue, capacity: 64}",
          "id: wo, kind: immediate, from: w.out, to: o.in, policy: {mode: queue, capacity: 64}"}};
}

/// Most invocations of a component that overlap, from their spans.
std::size_t overlap(const RuntimeRunnerResult& result, std::uint32_t component) {
  std::size_t most = 0;
  for (const GraphEvent& one : result.events) {
    if (one.name != GraphEventName::kComponentExecute || one.component != component) continue;
    std::size_t count = 0;
    for (const GraphEvent& other : result.events) {
      if (other.name != GraphEventName::kComponentExecute || other.component != component) continue;
      count += other.time <= one.time && one.time < other.time + other.duration ? 1U : 0U;
    }
    most = std::max(most, count);
  }
  return most;
}

RuntimeRunnerResult traced(const RunText& parts, RuntimeRunnerOptions options = {}) {
  options.trace = true;
  return run_graph(parts, options);
}

/// Calls `check` with a run in virtual time, and with one on threads.
template <class Check>
void in_both_times(const RunText& parts,
                   const RuntimeRunnerOptions& options,
                   const TestTypes& types,
                   const Check& check) {
  {
    SCOPED_TRACE("in virtual time");
    check(run_graph(parts, options, types));
  }
  SCOPED_TRACE("on threads");
  check(run_graph_in_wall_time(parts, options, types));
}

/// Bodies on threads that pass their messages on. They count how many of them run at once, and
/// which threads they were on.
class CountedBodies {
 public:
  /// So many at a time wait for each other, which they can only if they overlap; `calls` is how
  /// many of all calls do.
  CountedBodies(std::ptrdiff_t meeting, int calls) : meeting_(meeting), meeting_calls_(calls) {}
  RuntimeRunnerResult run(RunText parts,
                          const std::string& execution,
                          const RuntimeRunnerOptions& options = {}) {
    TestTypes types;
    types.add_body("t.Counted", [this](const Invocation& invocation, GraphContext& context) {
      return call(invocation, context);
    });
    parts.components[1] =
        "id: w, type: t.Counted, trigger_policy: {type: any_input}, execution: {" + execution + "}";
    return run_graph_in_wall_time(parts, options, types);
  }
  [[nodiscard]] int most_at_once() {
    const base::MutexLock lock(mutex_);
    return most_;
  }
  [[nodiscard]] std::size_t thread_count() {
    const base::MutexLock lock(mutex_);
    return threads_.size();
  }

 private:
  base::Status call(const Invocation& invocation, GraphContext& context) {
    {
      const base::MutexLock lock(mutex_);
      most_ = std::max(most_, ++inside_);
      threads_.insert(std::this_thread::get_id());
    }
    if (calls_.fetch_add(1) < meeting_calls_) meeting_.arrive_and_wait();
    for (const InputMessage& input : invocation.messages())
      context.publish("out", input.message.value);
    const base::MutexLock lock(mutex_);
    --inside_;
    return {};
  }

  std::barrier<> meeting_;
  const int meeting_calls_;
  std::atomic<int> calls_{0};
  base::Mutex mutex_;
  int inside_ MR_GUARDED_BY(mutex_) = 0;
  int most_ MR_GUARDED_BY(mutex_) = 0;
  std::set<std::thread::id> threads_ MR_GUARDED_BY(mutex_);
};

TEST(Runtime, ThreadPoolLaneExecutesReentrantInvocationsConcurrently) {
  const RunText parts = pool_graph("max_threads: 3", "reentrant: true", 7);
  const auto result = traced(parts);
  EXPECT_EQ(overlap(result, 1), 3U);
  EXPECT_EQ(result.metric("runtime.scheduler.active_count", "pool"), 3);
  CountedBodies bodies(3, 6);
  const auto on_threads = bodies.run(parts, "lane: pool, reentrant: true");
  EXPECT_EQ(bodies.most_at_once(), 3);
  EXPECT_EQ(on_threads.metric("runtime.scheduler.active_count", "pool"), 3);
  EXPECT_EQ(values(on_threads), values(result));
}

TEST(Runtime, ThreadPoolWorkersPersistAcrossMultipleRuntimeSteps) {
  RunText parts = pool_graph("max_threads: 2", "reentrant: true", 3);
  parts.components[0] =
      "id: s, type: core.counter, config: {per_invocation: 4}, execution: {lane: main}";
  const auto result = traced(parts, {.steps = 5});
  std::set<std::uint32_t> workers;
  for (const GraphEvent& event : result.events) {
    if (event.name == GraphEventName::kComponentExecute && event.component == 1)
      workers.insert(event.worker);
  }
  EXPECT_EQ(workers, (std::set<std::uint32_t>{0, 1}));
  EXPECT_EQ(result.metric("runtime.scheduler.worker_count", "pool"), 2);
  EXPECT_EQ(result.metric("runtime.scheduler.completed_count", "pool"), 20);
  // In every epoch two threads have to meet, and they are always the same two.
  CountedBodies bodies(2, 20);
  const auto on_threads = bodies.run(parts, "lane: pool, reentrant: true", {.steps = 5});
  EXPECT_EQ(bodies.thread_count(), 2U);
  EXPECT_EQ(on_threads.metric("runtime.scheduler.completed_count", "pool"), 20);
}

TEST(Runtime, ThreadPoolLaneSerializesNonReentrantInvocations) {
  const RunText parts = pool_graph("max_threads: 4", "reentrant: false", 5);
  const auto result = traced(parts);
  EXPECT_EQ(overlap(result, 1), 1U);
  EXPECT_EQ(values(result), (Strings{"1", "2", "3", "4", "5"}));
  CountedBodies bodies(1, 0);
  EXPECT_EQ(values(bodies.run(parts, "lane: pool")), values(result));
  EXPECT_EQ(bodies.most_at_once(), 1);
}

TEST(Runtime, ThreadPoolStopWhileQueueNonEmptyDrainsAdmittedWork) {
  for (const bool on_threads : {false, true}) {
    loop::StopSource stop;
    TestTypes types;
    types.add_body("t.Stop",
                   [&stop](const Invocation& invocation, GraphContext& context) -> base::Status {
                     stop.request_stop();
                     for (const InputMessage& input : invocation.messages())
                       context.publish("out", input.message.value);
                     return {};
                   });
    RunText parts = pool_graph("max_threads: 1", "reentrant: true", 4);
    parts.components[1] =
        "id: w, type: t.Stop, trigger_policy: {type: any_input}, execution: {lane: pool, "
        "reentrant: true}";
    const RuntimeRunnerOptions options{.stop_token = stop.token(), .steps = 9};
    const auto result = on_threads ? run_graph_in_wall_time(parts, options, types)
                                   : run_graph(parts, options, types);
    EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kStopRequested);
    EXPECT_EQ(values(result), (Strings{"1", "2", "3", "4"}));
    EXPECT_EQ(result.epochs.front().epochs, 1U);
  }
}

/// Of five invocations, which take no time, the pool admits those with these values, in both times.
void expect_rejection(RunText parts,
                      const Strings& admitted,
                      std::string_view policy,
                      double low_priority) {
  const std::size_t count = 5 - admitted.size();
  std::string& worker = parts.components[1];
  worker.replace(worker.find("10ms"), 4, "0ms");
  in_both_times(parts, {}, {}, [&](const RuntimeRunnerResult& result) {
    EXPECT_EQ(values(result), admitted);
    EXPECT_EQ(result.metric("runtime.scheduler.rejected_count", "pool"),
              static_cast<double>(count));
    EXPECT_EQ(result.metric("runtime.scheduler.low_priority_rejected_count", "pool"), low_priority);
    ASSERT_EQ(result.health_events.size(), 1U);
    EXPECT_EQ(result.health_events.front().kind, HealthKind::kSchedulerReject);
    EXPECT_EQ(result.health_events.front().count, count);
    EXPECT_EQ(result.health_events.front().policy, policy);
  });
}

TEST(Runtime, ThreadPoolLaneQueueCapacityRejectsNewestWhenFull) {
  expect_rejection(
      pool_graph("max_threads: 1, queue_capacity: 2, overflow: reject", "reentrant: true", 5),
      {"1", "2", "3"},
      "reject",
      0);
}

TEST(Runtime, ThreadPoolLaneRejectNewKeepsOldestAdmissionWhenFull) {
  expect_rejection(
      pool_graph("max_threads: 2, queue_capacity: 1, overflow: reject_new", "reentrant: true", 5),
      {"1", "2", "3"},
      "reject_new",
      0);
}

TEST(Runtime, ThreadPoolLaneQueueCapacityDropsOldestWhenConfigured) {
  expect_rejection(pool_graph("max_threads: 1, queue_capacity: 1, overflow: drop_oldest",
                              "reentrant: true, priority: low",
                              5),
                   {"4", "5"},
                   "drop_oldest",
                   3);
}

TEST(Runtime, RuntimePriorityOrdersIndependentReadyComponentsAndDoesNotStarveLowPriority) {
  std::string order;
  TestTypes types;
  types.add_body("t.Note", [&order](const Invocation& invocation, GraphContext&) -> base::Status {
    order += static_cast<char>('a' + invocation.correlation().component);
    return {};
  });
  const RunText parts{
      .components = {"id: a, type: t.Note, execution: {lane: main, priority: background}",
                     "id: b, type: t.Note, execution: {lane: main, priority: high}",
                     "id: c, type: t.Note, execution: {lane: main}",
                     "id: d, type: t.Note, execution: {lane: main, priority: low}"}};
  in_both_times(parts, {.steps = 3}, types, [&](const RuntimeRunnerResult& result) {
    EXPECT_EQ(std::exchange(order, {}), "bcdabcdabcda");
    for (const char* name : {"high", "normal", "low", "background"}) {
      EXPECT_EQ(result.metric(base::format("runtime.scheduler.priority_{}_count", name), "main"), 3)
          << name;
    }
  });
}

TEST(Runtime, ThreadPoolExecuteStatusFailureKeepsStructuredRuntimeError) {
  RunText parts = pool_graph("max_threads: 2", "reentrant: true", 3);
  parts.components[1] =
      "id: w, type: core.fail, config: {fail_at: [2]}, trigger_policy: {type: any_input}, "
      "execution: {lane: pool}";
  in_both_times(parts, {}, {}, [](const RuntimeRunnerResult& result) {
    EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kError);
    ASSERT_EQ(result.errors.size(), 1U);
    const RunError& error = result.errors.front();
    EXPECT_EQ(
        base::format(
            "{} {} {} {} {}", error.phase, error.component, error.lane, error.code, error.message),
        "execute w pool component_execute failed as configured");
  });
}

TEST(Runtime, PublishStagesWithoutRecursiveDownstreamExecute) {
  std::atomic<int> running{0};
  TestTypes types;
  types.add_body("t.Deep", [&running](const Invocation&, GraphContext& context) -> base::Status {
    EXPECT_EQ(++running, 1);
    context.publish("out", Payload(true));
    // Whoever is downstream has time enough to begin on another thread.
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
    --running;
    return {};
  });
  for (const std::string lane : {"main", "pool"}) {
    const std::string step =
        ", type: t.Deep, trigger_policy: {type: any_input}, execution: {lane: " + lane + "}";
    const RunText parts{
        .lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, max_threads: 2}"},
        .components = {"id: a, type: t.Deep, execution: {lane: " + lane + "}",
                       "id: b" + step,
                       "id: c" + step},
        .edges = {"id: ab, kind: immediate, from: a.out, to: b.in",
                  "id: bc, kind: immediate, from: b.out, to: c.in"}};
    in_both_times(parts, {.steps = 2}, types, [](const RuntimeRunnerResult& result) {
      EXPECT_EQ(result.invocations, 6U);
    });
  }
}

TEST(Runtime, G42_AManualLaneRunsWhenSteppedOnly) {
  const TestTypes types;
  const CompiledGraph graph = types.compile(RunText{
      .lanes = {"hand: {type: manual_step}"},
      .components =
          {"id: i, type: core.input, execution: {lane: hand}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: hand}"},
      .edges =
          {"id: e, kind: immediate, from: i.out, to: o.in, policy: {mode: queue, capacity: 8}"}}
                                                .text());
  const auto play = [&](const std::vector<std::uint64_t>& steps) {
    Runtime runtime(graph, types.registry(), {.virtual_time = true});
    EXPECT_TRUE(runtime.start());
    EXPECT_TRUE(runtime.inject("i", Payload(std::int64_t{4})));
    EXPECT_EQ(runtime.run(), SchedulerStopReason::kIdle);
    EXPECT_FALSE(runtime.poll_output("o")) << "nothing runs by itself";
    for (const std::uint64_t count : steps) EXPECT_EQ(runtime.step("hand", count), count);
    const auto output = runtime.poll_output("o");
    return base::format(
        "{} {}", output ? output->value.to_json() : "none", runtime.result().epochs.front().epochs);
  };
  EXPECT_EQ(play({3}), "4 3");
  EXPECT_EQ(play({1, 1, 1}), "4 3");
}

TEST(Runtime, BadCallsAreErrorsThatSayWhy) {
  const TestTypes types;
  const CompiledGraph graph = types.compile(RunText{
      .components = {"id: i, type: core.input, config: {capacity: 1}, execution: {lane: main}",
                     "id: s, type: core.counter, config: {count: 1}, execution: {lane: main}"}}
                                                .text());
  Runtime runtime(graph, types.registry(), {.virtual_time = true});
  EXPECT_FALSE(runtime.inject("i", Payload())) << "not started";
  EXPECT_FALSE(runtime.step());
  EXPECT_EQ(runtime.run(), SchedulerStopReason::kNotStarted);
  ASSERT_TRUE(runtime.start());
  EXPECT_FALSE(runtime.inject("none", Payload()));
  EXPECT_FALSE(runtime.inject("s", Payload()));
  EXPECT_TRUE(runtime.inject("i", Payload()));
  EXPECT_FALSE(runtime.inject("i", Payload())) << "full";
  EXPECT_FALSE(runtime.step("none"));
  EXPECT_FALSE(runtime.why("none"));
  EXPECT_FALSE(runtime.poll_output("none"));
  runtime.pause();
  EXPECT_EQ(runtime.step().value(), 0U);
  runtime.resume();
  EXPECT_EQ(runtime.step().value(), 1U);
  ASSERT_TRUE(runtime.snapshot());
  runtime.stop();
  runtime.stop();
  EXPECT_FALSE(runtime.snapshot());
  EXPECT_EQ(runtime.result().scheduler_stop_reason, SchedulerStopReason::kStopRequested);
}

TEST(Runtime, AFullOutputKeepsTheNewestValuesAndReportsIt) {
  const TestTypes types;
  const CompiledGraph graph = types.compile(RunText{
      .components = {"id: s, type: core.counter, config: {count: 5}, execution: {lane: main}",
                     "id: o, type: core.output, config: {capacity: 2}, trigger_policy: {type: "
                     "any_input}, execution: {lane: main}"},
      .edges = {"id: e, kind: immediate, from: s.out, to: o.in"}}
                                                .text());
  Runtime runtime(graph, types.registry(), {.virtual_time = true});
  ASSERT_TRUE(runtime.start());
  runtime.run();
  EXPECT_EQ(runtime.poll_output("o")->value.to_json(), "4");
  EXPECT_EQ(runtime.poll_output("o")->value.to_json(), "5");
  EXPECT_FALSE(runtime.poll_output("o"));
  ASSERT_EQ(runtime.result().health_events.size(), 1U);
  EXPECT_EQ(runtime.result().health_events.front().count, 3U);
}

}  // namespace
}  // namespace millrace::graph
