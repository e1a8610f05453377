#include "graph/record/replay.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/record/record_fixture.h"
#include "graph/report/trace_report.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_options.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// Injected values through a queue that refuses some, a task, a table and an output.
std::string small_graph() {
  const RunText parts{
      .lanes = {"main: {type: event_loop}", "own: {type: isolated_thread}"},
      .components =
          {"id: in, type: core.input, execution: {lane: main}",
           "id: half, type: core.linear, config: {factor: 0.5}, trigger_policy: {type: any_input}, "
           "execution: {lane: main}",
           "id: work, type: core.task, config: {delay: 3ms}, trigger_policy: {type: any_input}, "
           "execution: {lane: main}",
           "id: slow, type: core.spend, config: {cost: 20ms}, trigger_policy: {type: any_input}, "
           "execution: {lane: own}",
           "id: out, type: core.output, trigger_policy: {type: any_input}, execution: {lane: own}"},
      .edges = {"id: a, kind: immediate, from: in.out, to: half.in, policy: {mode: queue, "
                "capacity: 8}",
                "id: b, kind: immediate, from: half.out, to: work.in, policy: {mode: queue, "
                "capacity: 8}",
                "id: c, kind: async, from: work.out, to: slow.in, policy: {mode: queue, capacity: "
                "1, overflow: reject}",
                "id: d, kind: immediate, from: slow.out, to: out.in, policy: {mode: queue, "
                "capacity: 8}"}};
  return parts.text();
}

RuntimeRunnerOptions six_injections() {
  RuntimeRunnerOptions options;
  for (std::int64_t i = 0; i < 6; ++i) {
    options.injections.push_back(
        {.at = i * 2ms, .component = "in", .value = i % 2 == 0 ? Payload(i) : Payload(1.0)});
  }
  return options;
}

TEST(Replay, G55_OutputsTraceAndCountersAreThoseOfTheRecordedRun) {
  const RecordedRun recorded = record_run(small_graph(), six_injections());
  ASSERT_TRUE(recorded.run.ok);
  ASSERT_GE(recorded.run.outputs.size(), 2U);
  EXPECT_GT(recorded.run.metric("runtime.channel.reject_count"), 0);
  const auto again = replay_text(recorded.record);
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_TRUE(again->is_same()) << again->first_divergence->recorded << " / "
                                << again->first_divergence->now;
  EXPECT_EQ(values_and_times(again->run), values_and_times(recorded.run));
  const CompiledGraph graph = TestTypes().compile(small_graph());
  EXPECT_EQ(trace_text(graph, again->run), trace_text(graph, recorded.run));
  ASSERT_EQ(again->run.runtime_metrics.size(), recorded.run.runtime_metrics.size());
  for (std::size_t i = 0; i < recorded.run.runtime_metrics.size(); ++i) {
    EXPECT_EQ(again->run.runtime_metrics[i].value, recorded.run.runtime_metrics[i].value)
        << recorded.run.runtime_metrics[i].name;
  }
}

TEST(Replay, G55_WhatIsOutsideIsNotAskedAgain) {
  int questions = 0;
  int tasks = 0;
  TestTypes types;
  types.add_body("t.Ask", [&](const Invocation&, GraphContext& context) -> base::Status {
    MR_TRY(Payload answer, context.ask([&]() -> base::Result<Payload> {
      ++questions;
      return Payload(static_cast<double>(questions));
    }));
    context.publish("out", answer);
    return context.submit_task("out", [&](TaskContext&) -> base::Result<Payload> {
      ++tasks;
      if (tasks == 2) return base::fail(base::ErrorCode::kUnavailable, "gone", "there");
      return Payload(std::int64_t{tasks * 100});
    });
  });
  const RunText parts{
      .components =
          {"id: s, type: core.stdin, execution: {lane: main}",
           "id: t, type: t.Ask, trigger_policy: {type: any_input}, execution: {lane: main}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: "
           "{lane: main}"},
      .edges = {
          "id: st, kind: immediate, from: s.out, to: t.in, policy: {mode: queue, capacity: 8}",
          "id: to, kind: immediate, from: t.out, to: o.in, policy: {mode: queue, capacity: 8}",
          "id: tl, kind: async, from: t.out, to: o.late, policy: {mode: queue, capacity: 8}"}};
  std::vector<std::string> lines{"1", "\"\xC3\xA4\"", "3"};
  RuntimeRunnerOptions options;
  options.standard_input = [&, next = std::size_t{0}]() mutable -> std::optional<std::string> {
    if (next == lines.size()) return std::nullopt;
    return lines[next++];
  };
  const RecordedRun recorded = record_run(parts.text(), options, types);
  EXPECT_TRUE(recorded.run.ok);
  EXPECT_EQ(questions, 3);
  EXPECT_EQ(tasks, 3);
  const auto again = replay_text(recorded.record, types);
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_TRUE(again->is_same());
  EXPECT_EQ(questions, 3) << "the record has the answers";
  EXPECT_EQ(tasks, 3);
  EXPECT_EQ(values(again->run), values(recorded.run));
  EXPECT_EQ(again->run.metric("runtime.task.failed_count"), 1);
}

TEST(Replay, G55_TheFirstDivergenceIsNamed) {
  const RecordedRun recorded = record_run(small_graph(), six_injections());
  const auto other_value =
      replay_text(sign_again(replaced(recorded.record, R"("value":0.5})", R"("value":0.75})")));
  ASSERT_TRUE(other_value) << other_value.error().to_string();
  ASSERT_FALSE(other_value->is_same());
  EXPECT_EQ(other_value->first_divergence->domain, "main");
  EXPECT_EQ(other_value->first_divergence->place, "half");
  EXPECT_THAT(other_value->first_divergence->recorded, HasSubstr("0.75"));
  EXPECT_THAT(other_value->first_divergence->now, HasSubstr("0.5"));
  EXPECT_GT(other_value->first_divergence->line, 1U);

  const auto other_message =
      replay_text(sign_again(replaced(recorded.record, R"("took":["c#1"])", R"("took":["c#2"])")));
  ASSERT_TRUE(other_message);
  ASSERT_FALSE(other_message->is_same());
  EXPECT_EQ(other_message->first_divergence->domain, "own");
  EXPECT_EQ(other_message->first_divergence->epoch, 1U);
  EXPECT_EQ(other_message->first_divergence->place, "c");

  const auto other_graph = replay_text(sign_again(replaced(recorded.record, "20ms", "21ms")));
  ASSERT_TRUE(other_graph);
  ASSERT_FALSE(other_graph->is_same());
  EXPECT_EQ(other_graph->first_divergence->place, "slow");
  EXPECT_EQ(other_graph->first_divergence->recorded, "spent: 20000000");
  EXPECT_EQ(other_graph->first_divergence->now, "spent: 21000000");
}

TEST(Replay, G55_ARunThatWasStoppedOrFailedIsReplayedUpToThere) {
  TestTypes types;
  loop::StopSource source;
  types.add_body("t.Stop",
                 [&](const Invocation& invocation, GraphContext& context) -> base::Status {
                   if (invocation.epoch() == 3) source.request_stop();
                   context.publish("out", Payload(true));
                   return {};
                 });
  const RunText parts{.components = {"id: t, type: t.Stop, execution: {lane: main}"}};
  RuntimeRunnerOptions options;
  options.stop_token = source.token();
  const RecordedRun stopped = record_run(parts.text(), options, types);
  EXPECT_EQ(stopped.run.scheduler_stop_reason, SchedulerStopReason::kStopRequested);
  const auto again = replay_text(stopped.record, types);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->is_same()) << again->first_divergence->now;
  EXPECT_EQ(again->run.epochs.front().epochs, stopped.run.epochs.front().epochs);
  const RunText failing{
      .components = {"id: s, type: core.counter, config: {count: 5}, execution: {lane: main}",
                     "id: f, type: core.fail, config: {fail_at: [3]}, trigger_policy: {type: "
                     "any_input}, execution: {lane: main}"},
      .edges = {"id: e, kind: immediate, from: s.out, to: f.in"}};
  const RecordedRun failed = record_run(failing.text(), {});
  EXPECT_FALSE(failed.run.ok);
  const auto failed_again = replay_text(failed.record);
  ASSERT_TRUE(failed_again);
  EXPECT_TRUE(failed_again->is_same());
  EXPECT_EQ(failed_again->run.errors.front().message, failed.run.errors.front().message);
}

TEST(Replay, G55_AnInputThatWasFullIsFullAgain) {
  const RunText parts{
      .components = {"id: in, type: core.input, config: {capacity: 2}, execution: {lane: main}"}};
  RuntimeRunnerOptions options;
  for (const Duration at : {0ms, 1ms, 1ms, 1ms, 2ms}) {
    options.injections.push_back({.at = at, .component = "in", .value = Payload(true)});
  }
  const RecordedRun recorded = record_run(parts.text(), options);
  ASSERT_EQ(recorded.run.errors.size(), 1U);
  EXPECT_EQ(recorded.run.errors.front().code, "channel_overflow");
  const auto again = replay_text(recorded.record);
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_TRUE(again->is_same()) << again->first_divergence->recorded << " / "
                                << again->first_divergence->now;
  ASSERT_EQ(again->run.errors.size(), 1U);
  EXPECT_EQ(again->run.errors.front().message, recorded.run.errors.front().message);
}

TEST(Replay, G55_G61_ARunThatWaitedForAnInjectionWasNotIdle) {
  const RunText parts{
      .components = {"id: in, type: core.input, execution: {lane: main}",
                     "id: s, type: core.counter, config: {count: 2}, execution: {lane: main}"}};
  RuntimeRunnerOptions options{.until_idle = true};
  options.duration = 100ms;
  options.injections = {{.at = 1h, .component = "in", .value = Payload(true)},
                        {.at = 1ms, .component = "in", .value = Payload(true)}};
  const RecordedRun recorded = record_run(parts.text(), options);
  EXPECT_EQ(recorded.run.scheduler_stop_reason, SchedulerStopReason::kDurationBound);
  const auto again = replay_text(recorded.record);
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_TRUE(again->is_same()) << again->first_divergence->recorded << " / "
                                << again->first_divergence->now;
  EXPECT_EQ(again->run.scheduler_stop_reason, SchedulerStopReason::kDurationBound);
}

}  // namespace
}  // namespace millrace::graph
