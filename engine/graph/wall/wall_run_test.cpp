#include "graph/wall/wall_run.h"

#include <chrono>
#include <cstdint>
#include <future>
#include <latch>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "graph/payload.h"
#include "graph/run/engine.h"
#include "graph/run/run_fixture.h"
#include "graph/run/runtime.h"
#include "graph/threads/run_lock.h"
#include "loop/stop.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;
using Kind = WallStep::Kind;

/// A run in wall time that a test drives by hand, on a clock of its own.
struct HandDriven {
  HandDriven(const RunText& parts, const TestTypes& types, const PlayBounds& bounds = {})
      : graph(types.compile(parts.text())),
        engine(graph, types.registry(), {.clock = &clock, .trace = true}, true),
        run(engine, bounds, true) {
    EXPECT_TRUE(engine.start());
    engine.start_clock();
  }
  ~HandDriven() { engine.finish(SchedulerStopReason::kStopRequested); }

  WallStep step(std::size_t domain = 0) {
    const RunLocked locked(engine.tables().lock);
    return run.step(domain);
  }
  /// Runs epochs until the domain waits; gives when it wants to be woken.
  std::optional<Duration> settle(std::size_t domain = 0) {
    for (int i = 0; i < 1000; ++i) {
      const WallStep next = step(domain);
      if (next.kind != Kind::kAgain) return next.until;
    }
    ADD_FAILURE() << "it never waits";
    return std::nullopt;
  }
  [[nodiscard]] std::uint64_t epochs(std::size_t domain = 0) {
    return engine.domain(domain).run().epoch;
  }
  [[nodiscard]] double metric(std::string_view name, std::string_view label = {}) {
    return engine.result().metric(name, label);
  }

  base::ManualClock clock;
  CompiledGraph graph;
  Engine engine;
  WallRun run;
};

TEST(WallRun, G34_SlotsAreExactAndAnOverrunFollowsThePolicy) {
  TestTypes types;
  HandDriven* driven = nullptr;
  std::vector<Duration> costs = {0ms, 25ms, 0ms, 0ms};
  std::size_t call = 0;
  types.add_body("t.Tick", [&](const Invocation&, GraphContext&) -> base::Status {
    driven->clock.advance(costs[call++]);
    return {};
  });
  HandDriven run({.lanes = {"tick: {type: fixed_rate, period: 10ms, wall_clock_enabled: true}"},
                  .components = {"id: t, type: t.Tick, execution: {lane: tick}"}},
                 types);
  driven = &run;
  EXPECT_EQ(run.settle(), std::optional<Duration>(10ms));
  run.clock.advance(11ms);  // woken 1 ms late
  EXPECT_EQ(run.settle(), std::optional<Duration>(40ms));
  EXPECT_EQ(run.metric("runtime.scheduler.tick_jitter_ms", "tick"), 1);
  EXPECT_EQ(run.metric("runtime.scheduler.tick_overrun_count", "tick"), 1);
  EXPECT_EQ(run.metric("runtime.scheduler.skipped_tick_count", "tick"), 2);
  EXPECT_EQ(run.metric("runtime.scheduler.max_lateness_ms", "tick"), 15);
  run.clock.advance(4ms);
  EXPECT_EQ(run.settle(), std::optional<Duration>(50ms));
  EXPECT_EQ(run.epochs(), 3U);
}

// What a domain would do by itself lies beyond the duration; it must not be deaf because of that.
TEST(WallRun, G61_ADomainTakesMessagesUntilTheDurationIsOver) {
  HandDriven run({.lanes = {"main: {type: event_loop}",
                            "tick: {type: fixed_rate, period: 20ms, wall_clock_enabled: true, "
                            "independent: true}"},
                  .components = {"id: s, type: core.counter, execution: {lane: tick}",
                                 "id: c, type: core.collect, trigger_policy: {type: any_input, "
                                 "max_silence: 1m}, execution: {lane: main}"},
                  .edges = {"id: e, kind: async, from: s.out, to: c.in"}},
                 {},
                 {.duration = 100ms});
  for (int tick = 1; tick <= 5; ++tick) {
    static_cast<void>(run.settle(1));
    EXPECT_EQ(run.epochs(1), static_cast<std::uint64_t>(tick));
    static_cast<void>(run.settle(0));
    EXPECT_EQ(run.metric("runtime.channel.delivery_count", "e"), tick);
    run.clock.advance(20ms);
  }
  static_cast<void>(run.settle(1));
  static_cast<void>(run.settle(0));
  EXPECT_EQ(run.epochs(1), 5U) << "no epoch begins at the end of the duration";
  EXPECT_TRUE(run.run.has_ended() || run.step(0).kind == Kind::kEnd);
}

TEST(WallRun, G61_ATaskMayEndBeforeTheDurationIsOver) {
  TestTypes types;
  std::latch may_end{1};
  types.add_body("t.Ask", [&](const Invocation&, GraphContext& context) -> base::Status {
    context.finish();
    return context.submit_task("out", [&](TaskContext&) -> base::Result<Payload> {
      may_end.wait();
      return Payload(true);
    });
  });
  HandDriven run({.components = {"id: s, type: t.Ask, execution: {lane: main}",
                                 "id: c, type: core.collect, trigger_policy: {type: any_input, "
                                 "max_silence: 1m}, execution: {lane: main}"},
                  .edges = {"id: e, kind: async, from: s.out, to: c.in"}},
                 types,
                 {.duration = 100ms});
  EXPECT_EQ(run.settle(), std::optional<Duration>(100ms)) << "not before: the task may end";
  EXPECT_FALSE(run.run.has_ended());
  may_end.count_down();
}

TEST(WallRun, G35_IndependentLanesTickAtTheirOwnRates) {
  HandDriven run(
      {.lanes = {"fast: {type: fixed_rate, period: 10ms, wall_clock_enabled: true, independent: "
                 "true}",
                 "slow: {type: fixed_rate, period: 30ms, wall_clock_enabled: true, independent: "
                 "true}"},
       .components = {"id: f, type: core.counter, execution: {lane: fast}",
                      "id: s, type: core.counter, execution: {lane: slow}"}},
      {});
  for (int ms = 0; ms < 90; ++ms) {
    static_cast<void>(run.settle(0));
    static_cast<void>(run.settle(1));
    run.clock.advance(1ms);
  }
  EXPECT_EQ(run.epochs(0), 9U);
  EXPECT_EQ(run.epochs(1), 3U);
}

TEST(WallRun, G33_ASimulatedLaneNeverWaitsAndItsTimeIsItsOwn) {
  HandDriven run({.lanes = {"sim: {type: fixed_rate, period: 10ms, tick_budget: 5ms}"},
                  .components = {"id: s, type: core.counter, execution: {lane: sim}"}},
                 {});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run.step().kind, Kind::kAgain);
  EXPECT_EQ(run.epochs(), 5U);
  EXPECT_EQ(run.engine.domain(0).run().boundary, 40ms);
}

TEST(WallRun, G43_AnIdleGraphWaitsWithoutATimeAndWakesOnInput) {
  HandDriven run({.components = {"id: in, type: core.input, execution: {lane: main}",
                                 "id: out, type: core.output, trigger_policy: {type: any_input}, "
                                 "execution: {lane: main}"},
                  .edges = {"id: e, kind: immediate, from: in.out, to: out.in"}},
                 {});
  WallStep idle = run.step();
  EXPECT_EQ(idle.kind, Kind::kWait);
  EXPECT_EQ(idle.until, std::nullopt);
  EXPECT_EQ(run.epochs(), 0U);
  {
    const RunLocked locked(run.engine.tables().lock);
    ASSERT_TRUE(run.engine.inject(0, Payload(std::int64_t{4}), {}));
  }
  EXPECT_EQ(run.step().kind, Kind::kAgain);
  EXPECT_EQ(run.step().kind, Kind::kWait);
  EXPECT_EQ(run.epochs(), 1U);
}

TEST(WallRun, G43_AThreadThatSleepsWakesOnInput) {
  TestTypes types;
  std::promise<std::int64_t> got;
  types.add_body("t.Sink", [&](const Invocation& invocation, GraphContext&) -> base::Status {
    got.set_value(invocation.messages().front().message.value.find_int().value_or(0));
    return {};
  });
  const CompiledGraph graph = types.compile(
      RunText{.components = {"id: in, type: core.input, execution: {lane: main}",
                             "id: out, type: t.Sink, trigger_policy: {type: any_input}, "
                             "execution: {lane: main}"},
              .edges = {"id: e, kind: immediate, from: in.out, to: out.in"}}
          .text());
  Runtime runtime(graph, types.registry(), {});
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(runtime.inject("in", Payload(std::int64_t{9})));
  EXPECT_EQ(got.get_future().get(), 9);
  runtime.stop();
  EXPECT_EQ(runtime.result().scheduler_stop_reason, SchedulerStopReason::kStopRequested);
}

TEST(WallRun, G34_AStopEndsASleepAtOnce) {
  // An hour between ticks: the test ends only because the stop wakes the thread.
  loop::StopSource stop;
  std::latch has_ticked(1);
  TestTypes types;
  types.add_body("t.Tick", [&](const Invocation&, GraphContext&) -> base::Status {
    has_ticked.count_down();
    return {};
  });
  const CompiledGraph graph = types.compile(
      RunText{.lanes = {"tick: {type: fixed_rate, period: 3600s, wall_clock_enabled: true}"},
              .components = {"id: t, type: t.Tick, execution: {lane: tick}"}}
          .text());
  Runtime runtime(graph, types.registry(), {.stop_token = stop.token()});
  ASSERT_TRUE(runtime.start());
  has_ticked.wait();
  stop.request_stop();
  EXPECT_EQ(runtime.run(), SchedulerStopReason::kStopRequested);
}

TEST(WallRun, G61_BoundsEndARun) {
  const RunText endless{.components = {"id: s, type: core.counter, execution: {lane: main}"}};
  HandDriven steps(endless, {}, {.steps = 3});
  static_cast<void>(steps.settle());
  EXPECT_EQ(steps.epochs(), 3U);
  EXPECT_EQ(steps.run.wait(), SchedulerStopReason::kTickBound);
  HandDriven duration(
      {.lanes = {"tick: {type: fixed_rate, period: 10ms, wall_clock_enabled: true}"},
       .components = {"id: s, type: core.counter, execution: {lane: tick}"}},
      {},
      {.duration = 20ms});
  EXPECT_EQ(duration.settle(), std::optional<Duration>(10ms));
  duration.clock.advance(10ms);
  EXPECT_EQ(duration.step().kind, Kind::kAgain);
  EXPECT_EQ(duration.step().kind, Kind::kEnd);
  EXPECT_EQ(duration.epochs(), 2U);
  EXPECT_EQ(duration.run.wait(), SchedulerStopReason::kDurationBound);
}

TEST(WallRun, G44_AnOverrunIsReportedWhileItLastsAndCancelled) {
  TestTypes types;
  HandDriven* driven = nullptr;
  double reported = 0;
  bool was_told = false;
  types.add_body("t.Slow", [&](const Invocation&, GraphContext& context) -> base::Status {
    EXPECT_FALSE(context.cancel_requested());
    driven->clock.advance(5ms);
    static_cast<void>(driven->run.handle_events());
    const RunLocked locked(driven->engine.tables().lock);
    reported = driven->engine.tables().metrics.components[0].timeout_budget_exceeded_count.value();
    was_told = context.cancel_requested();
    context.finish();
    return {};
  });
  HandDriven run({.components = {"id: s, type: t.Slow, execution: {lane: main, budget: 3ms}"}},
                 types);
  driven = &run;
  static_cast<void>(run.settle());
  EXPECT_EQ(reported, 1);
  EXPECT_TRUE(was_told);
  // Counted once, not again at the end.
  EXPECT_EQ(run.metric("runtime.component.timeout_budget_exceeded_count", "s"), 1);
  EXPECT_EQ(run.metric("runtime.component.budget_overrun_count", "s"), 1);
  EXPECT_EQ(run.metric("runtime.component.cancellation_requested_count", "s"), 1);
  EXPECT_EQ(run.metric("runtime.component.cancellation_observed_count", "s"), 1);
}

TEST(WallRun, G72_SilenceIsMeasuredOnTheRunsClock) {
  HandDriven run({.components = {"id: in, type: core.input, execution: {lane: main}",
                                 "id: c, type: core.collect, trigger_policy: {type: any_input, "
                                 "max_silence: 20ms}, execution: {lane: main}"},
                  .edges = {"id: e, kind: immediate, from: in.out, to: c.in"}},
                 {});
  EXPECT_EQ(run.settle(), std::optional<Duration>(20ms));
  run.clock.advance(20ms);
  static_cast<void>(run.settle());
  EXPECT_EQ(run.metric("runtime.trigger.silence_count", "c"), 1);
  run.clock.advance(50ms);
  EXPECT_EQ(run.settle(), std::nullopt);
  EXPECT_EQ(run.metric("runtime.trigger.silence_count", "c"), 1);
}

}  // namespace
}  // namespace millrace::graph
