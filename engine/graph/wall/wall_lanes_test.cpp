#include <atomic>
#include <cstdint>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/compile/compiled_graph.h"
#include "graph/payload.h"
#include "graph/run/config_updates.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime.h"
#include "graph/run/why.h"
#include "loop/stop.h"

// Statements about lanes and errors on real threads; the same hold in virtual time.

namespace millrace::graph {
namespace {

using ::testing::ElementsAre;

/// Names, from any thread, in the order in which they were noted.
class NoteList {
 public:
  void add(std::string name) {
    const base::MutexLock lock(mutex_);
    names_.push_back(std::move(name));
  }
  std::vector<std::string> names() {
    const base::MutexLock lock(mutex_);
    return names_;
  }

 private:
  base::Mutex mutex_;
  std::vector<std::string> names_ MR_GUARDED_BY(mutex_);
};

std::string step_text(const std::string& id,
                      const std::string& type,
                      const std::string& execution) {
  return "id: " + id + ", type: " + type +
         ", trigger_policy: {type: any_input, inputs: [in]}, execution: {" + execution + "}";
}

std::string edge_text(const std::string& from, const std::string& to) {
  return "id: " + from + "_" + to + ", kind: immediate, from: " + from + ".out, to: " + to + ".in";
}

constexpr const char* kOneValue =
    "id: s, type: core.counter, config: {count: 1}, execution: {lane: main}";

TEST(WallLanes, G38_APoolOfOneThreadStartsByClassThenByOrder) {
  NoteList notes;
  TestTypes types;
  RunText parts{.lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, max_threads: 1}"},
                .components = {kOneValue}};
  for (const std::string name : {"background", "low", "normal", "high", "normal"}) {
    const std::string id = name + std::to_string(parts.components.size());
    types.add_body("note." + id, [&notes, id](const Invocation&, GraphContext&) -> base::Status {
      notes.add(id);
      return {};
    });
    parts.components.push_back(step_text(id, "note." + id, "lane: pool, priority: " + name));
    parts.edges.push_back(edge_text("s", id));
  }
  const auto result = run_graph_in_wall_time(parts, {}, types);
  EXPECT_TRUE(result.ok);
  EXPECT_THAT(notes.names(), ElementsAre("high4", "normal3", "normal5", "low2", "background1"));
}

TEST(WallLanes, G39_AStopLetsTheEpochInProgressEnd) {
  loop::StopSource stop;
  std::atomic<bool> was_told{false};
  TestTypes types;
  types.add_body("stops", [&stop](const Invocation&, GraphContext& context) -> base::Status {
    EXPECT_FALSE(context.cancel_requested());
    stop.request_stop();
    context.publish("out", Payload(std::int64_t{1}));
    return {};
  });
  types.add_body("after", [&was_told](const Invocation&, GraphContext& context) -> base::Status {
    was_told = context.cancel_requested();
    return {};
  });
  RunText parts{.lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, max_threads: 2}"},
                .components = {"id: a, type: stops, execution: {lane: main}",
                               step_text("b", "after", "lane: pool")},
                .edges = {edge_text("a", "b")}};
  const auto result = run_graph_in_wall_time(parts, {.stop_token = stop.token()}, types);
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kStopRequested);
  EXPECT_EQ(result.epochs.front().epochs, 1U) << "no other epoch begins";
  EXPECT_EQ(result.metric("runtime.component.execution_count", "b"), 1) << "nothing is lost";
  EXPECT_TRUE(was_told) << "the body behind it is told";
}

/// A component that must not be deactivated while it executes.
class BusyComponent final : public Component {
 public:
  BusyComponent(std::latch& both_run, std::atomic<int>& ended)
      : both_run_(both_run), ended_(ended) {}
  base::Status execute(const Invocation&, GraphContext&) override {
    is_executing_ = true;
    both_run_.arrive_and_wait();
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    is_executing_ = false;
    ++ended_;
    return {};
  }
  base::Status deactivate() override {
    EXPECT_FALSE(is_executing_);
    return {};
  }

 private:
  std::latch& both_run_;
  std::atomic<int>& ended_;
  std::atomic<bool> is_executing_{false};
};

TEST(WallLanes, G40_AFailureInAPoolWaitsForWhatIsInFlight) {
  std::latch both_run(2);
  std::atomic<int> ended{0};
  TestTypes types;
  types.add("busy", [&] { return std::make_unique<BusyComponent>(both_run, ended); });
  types.add_body("fails", [&](const Invocation&, GraphContext&) -> base::Status {
    both_run.arrive_and_wait();
    return base::fail(base::ErrorCode::kInternal, "broken");
  });
  RunText parts{.lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, max_threads: 2}"},
                .components = {kOneValue,
                               step_text("bad", "fails", "lane: pool"),
                               step_text("good", "busy", "lane: pool")},
                .edges = {edge_text("s", "bad"), edge_text("s", "good")}};
  const auto result = run_graph_in_wall_time(parts, {}, types);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.errors.front().component, "bad");
  EXPECT_EQ(ended, 1);
}

TEST(WallLanes, G42_AManualLaneRunsOnlyWhenItIsStepped) {
  const RunText parts{
      .lanes = {"hand: {type: manual_step}"},
      .components = {"id: s, type: core.counter, execution: {lane: hand}",
                     "id: out, type: core.output, trigger_policy: {type: any_input, inputs: [in]}, "
                     "execution: {lane: hand}"},
      .edges = {edge_text("s", "out")}};
  const TestTypes types;
  const CompiledGraph graph = types.compile(parts.text());
  const auto values_after = [&](const std::vector<std::uint64_t>& steps) {
    Runtime runtime(graph, types.registry(), {});
    EXPECT_TRUE(runtime.start());
    EXPECT_FALSE(runtime.poll_output("out"));
    std::vector<std::string> found;
    for (const std::uint64_t count : steps) EXPECT_EQ(runtime.step("hand", count), count);
    while (auto output = runtime.poll_output("out")) found.push_back(output->value.to_json());
    return found;
  };
  EXPECT_THAT(values_after({}), ElementsAre());
  EXPECT_THAT(values_after({3}), ElementsAre("1", "2", "3"));
  EXPECT_EQ(values_after({1, 1, 1}), values_after({3}));
}

/// `main` doubles what it is given; a body of the isolated lane waits until the test ends.
struct LongEpoch {
  LongEpoch() {
    types.add_body("waits", [this](const Invocation&, GraphContext& context) -> base::Status {
      has_begun.count_down();
      may_end.wait();
      context.finish();
      return {};
    });
    graph = types.compile(
        RunText{.lanes = {"main: {type: event_loop}", "apart: {type: isolated_thread}"},
                .components = {"id: s, type: core.input, execution: {lane: main}",
                               step_text("twice", "core.linear", "lane: main"),
                               step_text("out", "core.output", "lane: main"),
                               "id: w, type: waits, execution: {lane: apart}"},
                .edges = {edge_text("s", "twice"), edge_text("twice", "out")}}
            .text());
    runtime = std::make_unique<Runtime>(
        graph, types.registry(), RuntimeRunnerOptions{.stop_token = stop.token()});
    EXPECT_TRUE(runtime->start());
    has_begun.wait();
  }
  ~LongEpoch() {
    may_end.count_down();
    runtime->stop();
  }
  base::Status update(const std::string& component) {
    return runtime->update_config(std::vector<ConfigUpdate>{
        {.component = component, .config = *Payload::parse(R"({"factor": 2})")}});
  }

  std::latch has_begun{1};
  std::latch may_end{1};
  loop::StopSource stop;
  TestTypes types;
  CompiledGraph graph;
  std::unique_ptr<Runtime> runtime;
};

TEST(WallLanes, G41_G50_AnUpdateOfMainDoesNotWaitForAnIsolatedLane) {
  LongEpoch run;
  EXPECT_TRUE(run.update("twice"));
  ASSERT_TRUE(run.runtime->inject("s", Payload(std::int64_t{21})));
  auto output = run.runtime->poll_output("out");
  while (!output) output = run.runtime->poll_output("out");
  EXPECT_EQ(output->value, Payload(std::int64_t{42}));
}

TEST(WallLanes, G39_G50_AnUpdateThatWaitsForAnEpochEndsWithAStop) {
  LongEpoch run;
  auto updated = std::async(std::launch::async, [&run] { return run.update("w"); });
  auto taken = std::async(std::launch::async, [&run] { return run.runtime->snapshot(); });
  run.stop.request_stop();
  EXPECT_EQ(updated.get().error().code(), base::ErrorCode::kUnavailable);
  EXPECT_EQ(taken.get().error().code(), base::ErrorCode::kUnavailable);
}

TEST(WallLanes, G23_G39_AStopWakesADomainThatWaitsForRoom) {
  const TestTypes types;
  const CompiledGraph graph = types.compile(
      RunText{.lanes = {"apart: {type: isolated_thread}", "hand: {type: manual_step}"},
              .components = {"id: s, type: core.counter, execution: {lane: apart}",
                             step_text("out", "core.output", "lane: hand")},
              .edges = {"id: e, kind: async, from: s.out, to: out.in, policy: {mode: queue, "
                        "capacity: 1, overflow: block}"}}
          .text());
  loop::StopSource stop;
  Runtime runtime(graph, types.registry(), {.stop_token = stop.token()});
  ASSERT_TRUE(runtime.start());
  const auto await_full_edge = [&runtime](std::uint64_t epoch) {
    WhyReport report = runtime.why("s").value();
    while (report.epoch != epoch || report.lane_state != "waits for room on edge 'e'") {
      std::this_thread::yield();
      report = runtime.why("s").value();
    }
  };
  await_full_edge(2);
  EXPECT_EQ(runtime.step("hand", 1).value_or(0), 1U) << "makes room for one more";
  await_full_edge(3);
  stop.request_stop();
  EXPECT_EQ(runtime.run(), SchedulerStopReason::kStopRequested);
  EXPECT_EQ(runtime.result().metric("runtime.channel.reject_count", "e"), 0);
  EXPECT_EQ(runtime.result().epochs.front().epochs, 3U);
}

TEST(WallLanes, G45_RequestedAndObservedCancellationAreToldApart) {
  std::latch observed(1);
  TestTypes types;
  types.add_body("asks", [&](const Invocation&, GraphContext& context) -> base::Status {
    while (!context.cancel_requested()) std::this_thread::yield();
    observed.count_down();
    return {};
  });
  // Its budget ends first, so that it was asked to stop when the other one is told.
  types.add_body("deaf", [&](const Invocation&, GraphContext&) -> base::Status {
    observed.wait();
    return {};
  });
  RunText parts{.lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, max_threads: 2}"},
                .components = {kOneValue,
                               step_text("d", "deaf", "lane: pool, budget: 1ms"),
                               step_text("a", "asks", "lane: pool, budget: 30ms")},
                .edges = {edge_text("s", "d"), edge_text("s", "a")}};
  const auto result = run_graph_in_wall_time(parts, {}, types);
  EXPECT_TRUE(result.ok);
  for (const char* id : {"a", "d"}) {
    EXPECT_EQ(result.metric("runtime.component.cancellation_requested_count", id), 1) << id;
    EXPECT_EQ(result.metric("runtime.component.timeout_budget_exceeded_count", id), 1) << id;
  }
  EXPECT_EQ(result.metric("runtime.component.cancellation_observed_count", "a"), 1);
  EXPECT_EQ(result.metric("runtime.component.cancellation_observed_count", "d"), 0);
}

TEST(WallLanes, G46_OfAFailedStageNothingIsCommittedAndPoolWorkRunsToItsEnd) {
  NoteList notes;
  TestTypes types;
  types.add_body("fails", [&](const Invocation&, GraphContext&) -> base::Status {
    notes.add("fails");
    return base::fail(base::ErrorCode::kInternal, "broken");
  });
  const auto note = [&notes](const std::string& name) {
    return [&notes, name](const Invocation&, GraphContext& context) -> base::Status {
      notes.add(name);
      context.publish("out", Payload(std::int64_t{1}));
      return {};
    };
  };
  types.add_body("here", note("here"))
      .add_body("pooled", note("pooled"))
      .add_body("sink", note("sink"));
  RunText parts{.lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, max_threads: 2}"},
                .components = {kOneValue,
                               step_text("p", "pooled", "lane: pool"),
                               step_text("f", "fails", "lane: main"),
                               step_text("h", "here", "lane: main"),
                               step_text("k", "sink", "lane: main")},
                .edges = {edge_text("s", "p"),
                          edge_text("s", "f"),
                          edge_text("s", "h"),
                          edge_text("p", "k"),
                          edge_text("h", "k")}};
  const auto result = run_graph_in_wall_time(parts, {}, types);
  EXPECT_FALSE(result.ok);
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().component, "f");
  EXPECT_EQ(result.errors.front().phase, "execute");
  EXPECT_EQ(result.errors.front().code, "component_execute");
  EXPECT_THAT(notes.names(), testing::UnorderedElementsAre("fails", "pooled"));
  EXPECT_EQ(result.metric("runtime.channel.publish_count", "p_k"), 0);
}

}  // namespace
}  // namespace millrace::graph
