#include "graph/run/commit.h"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

/// A source of three values per epoch, and sinks by edges of a kind and policy.
RunText fan_out(const std::vector<std::string>& policies, const std::string& kind = "immediate") {
  RunText parts;
  parts.components.push_back(
      "id: s, type: core.counter, config: {count: 3, per_invocation: 3}, execution: {lane: main}");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    parts.components.push_back(
        base::format("id: o{}, type: core.output, trigger_policy: {{type: any_input}}, execution: "
                     "{{lane: main}}",
                     i));
    parts.edges.push_back(base::format(
        "id: e{0}, kind: {1}, from: s.out, to: o{0}.in, policy: {{{2}}}", i, kind, policies[i]));
  }
  return parts;
}

std::vector<std::string> of_component(const RuntimeRunnerResult& result, std::uint32_t component) {
  std::vector<std::string> list;
  for (const OutputRecord& output : result.outputs) {
    if (output.component == component) list.push_back(output.value.to_json());
  }
  return list;
}

TEST(Commit, G11_NothingDownstreamRunsDuringPublish) {
  std::string order;
  TestTypes types;
  types.add_body("t.Source", [&order](const Invocation&, GraphContext& context) -> base::Status {
    order += "(";
    EXPECT_TRUE(context.publish("out", Payload(true)));
    EXPECT_FALSE(context.publish("other", Payload(true))) << "has no edge";
    order += ")";
    return {};
  });
  types.add_body("t.Sink", [&order](const Invocation&, GraphContext&) -> base::Status {
    order += "x";
    return {};
  });
  const RunText parts{.components = {"id: s, type: t.Source, execution: {lane: main}",
                                     "id: o, type: t.Sink, trigger_policy: {type: any_input}, "
                                     "execution: {lane: main}"},
                      .edges = {"id: e, kind: immediate, from: s.out, to: o.in"}};
  run_graph(parts, {.steps = 2}, types);
  EXPECT_EQ(order, "()x()x");
}

TEST(Commit, G12_ImmediateDataIsSeenInTheSameEpochOtherDataFromTheNextBoundaryOn) {
  EXPECT_EQ(values_and_epochs(run_graph(fan_out({"mode: queue, capacity: 8"}))),
            (Strings{"1@1", "2@1", "3@1"}));
  for (const char* kind : {"delay", "state", "async"}) {
    EXPECT_EQ(values_and_epochs(run_graph(fan_out({"mode: queue, capacity: 8"}, kind))),
              (Strings{"1@2", "2@2", "3@2"}))
        << kind;
  }
}

TEST(Commit, G13_IfOneEdgeRefusesNothingBecomesVisibleOnAny) {
  const auto result = run_graph(fan_out({"mode: queue, capacity: 8",
                                         "mode: queue, capacity: 2, overflow: reject",
                                         "mode: queue, capacity: 8"}));
  EXPECT_EQ(of_component(result, 1), (Strings{"1", "2"}));
  EXPECT_EQ(of_component(result, 2), (Strings{"1", "2"}));
  EXPECT_EQ(of_component(result, 3), (Strings{"1", "2"}));
  EXPECT_EQ(result.metric("runtime.publication.refused"), 1);
  EXPECT_EQ(result.metric("runtime.channel.reject_count", "e1"), 1);
}

TEST(Commit, G13_DeferredEdgesRefuseAtTheCommitToo) {
  RunText parts = fan_out({"mode: queue, capacity: 8"});
  parts.components.push_back(
      "id: late, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}");
  parts.edges.push_back(
      "id: a, kind: async, from: s.out, to: late.in, "
      "policy: {mode: queue, capacity: 1, overflow: reject}");
  const auto result = run_graph(parts);
  EXPECT_EQ(values_and_epochs(result), (Strings{"1@1", "1@2"}));
}

TEST(Commit, G13_DropNewestDropsOnItsOwnEdgeOnly) {
  const auto result = run_graph(
      fan_out({"mode: queue, capacity: 2, overflow: drop_newest", "mode: queue, capacity: 8"}));
  EXPECT_EQ(of_component(result, 1), (Strings{"1", "2"}));
  EXPECT_EQ(of_component(result, 2), (Strings{"1", "2", "3"}));
}

TEST(Commit, G14_TheNextInvocationIsToldWhatBecameOfThePublications) {
  std::vector<std::string> told;
  TestTypes types;
  types.add_body("t.Source", [&told](const Invocation&, GraphContext& context) -> base::Status {
    const PublishReport report = context.publish_report("out");
    told.push_back(
        base::format("{} {} {} {}", report.committed, report.refused, report.dropped, report.edge));
    for (int i = 0; i < 3; ++i) context.publish("out", Payload(true));
    return {};
  });
  RunText parts = fan_out({"mode: queue, capacity: 2, overflow: reject"});
  parts.components[0] = "id: s, type: t.Source, execution: {lane: main}";
  run_graph(parts, {.steps = 2}, types);
  EXPECT_EQ(told, (Strings{"0 0 0 ", "2 1 0 e0"}));
}

TEST(Commit, G14_TheNextInvocationIsToldWhatWasDropped) {
  std::vector<std::string> told;
  TestTypes types;
  types.add_body("t.Source", [&told](const Invocation&, GraphContext& context) -> base::Status {
    const PublishReport report = context.publish_report("out");
    told.push_back(
        base::format("{} {} {} {}", report.committed, report.refused, report.dropped, report.edge));
    for (int i = 0; i < 3 && told.size() == 1; ++i) context.publish("out", Payload(true));
    return {};
  });
  RunText parts =
      fan_out({"mode: queue, capacity: 8", "mode: queue, capacity: 2, overflow: drop_newest"});
  parts.components[0] = "id: s, type: t.Source, execution: {lane: main}";
  // A run that is watched takes another way.
  for (const bool is_traced : {false, true}) {
    told.clear();
    run_graph(parts, {.steps = 3, .trace = is_traced}, types);
    EXPECT_EQ(told, (Strings{"0 0 0 ", "3 0 1 e1", "0 0 0 "})) << is_traced;
  }
}

TEST(Commit, G17_G18_ARefusalIsCountedAndOnlyFailFastEndsTheRun) {
  const auto refused = run_graph(fan_out({"mode: queue, capacity: 1, overflow: block"}));
  EXPECT_TRUE(refused.ok);
  EXPECT_EQ(refused.metric("runtime.channel.reject_count", "e0"), 2);
  const auto failed = run_graph(fan_out({"mode: queue, capacity: 1, overflow: fail_fast"}));
  EXPECT_FALSE(failed.ok);
  EXPECT_EQ(failed.scheduler_stop_reason, SchedulerStopReason::kError);
  ASSERT_EQ(failed.errors.size(), 1U);
  EXPECT_EQ(failed.errors.front().code, "channel_overflow");
  EXPECT_EQ(failed.errors.front().phase, "commit");
  EXPECT_EQ(failed.errors.front().component, "s");
}

TEST(Commit, G22_OverflowEventsAreCoalescedAndTheHighWatermarkComesOnce) {
  RunText parts = fan_out({"mode: queue, capacity: 2, overflow: drop_oldest"});
  parts.components[0] =
      "id: s, type: core.counter, config: {count: 9, per_invocation: 3}, execution: {lane: main}";
  const auto result = run_graph(parts);
  std::vector<std::string> events;
  for (const HealthEvent& event : result.health_events) {
    events.push_back(base::format("{} {} {}", to_string(event.kind), event.count, event.policy));
  }
  EXPECT_EQ(
      events,
      (Strings{"backpressure_high_watermark 1 drop_oldest", "channel_overflow 3 drop_oldest"}));
  EXPECT_EQ(result.metric("runtime.health.event_count"), 4);
}

TEST(Commit, G23_ABlockingEdgeOutOfAnIsolatedLaneWaitsForRoom) {
  const RunText parts{
      .lanes =
          {"fast: {type: isolated_thread}",
           "slow: {type: fixed_rate, period: 10ms, wall_clock_enabled: true, independent: true}"},
      .components =
          {"id: s, type: core.counter, config: {count: 3}, execution: {lane: fast}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: slow}"},
      .edges = {"id: e, kind: async, from: s.out, to: o.in, "
                "policy: {mode: queue, capacity: 1, overflow: block}"}};
  const auto result = run_graph(parts, {.duration = 100ms});
  EXPECT_EQ(values_and_times(result), (Strings{"1@0", "2@10", "3@20"}));
  EXPECT_EQ(result.metric("runtime.channel.reject_count"), 0);
  EXPECT_GT(result.metric("runtime.scheduler.blocked_duration_ms", "fast"), 0);
}

TEST(Commit, G63_IdsNameEdgeRootAndCause) {
  const auto result = run_graph(fan_out({"mode: queue, capacity: 8"}, "delay"));
  ASSERT_EQ(result.outputs.size(), 3U);
  EXPECT_EQ(result.outputs[1].correlation, "s#1");
  EXPECT_EQ(result.outputs[1].causation, "e0#2");
}

TEST(Commit, G16_LatchedValuesThatNobodyCouldReadAreCountedAsOverwritten) {
  RunText parts = fan_out({"mode: latched"}, "delay");
  EXPECT_EQ(run_graph(parts, {.steps = 1}).metric("runtime.channel.overwrite_count", "e0"), 2);
}

TEST(Commit, G17_FailFastEndsTheRunWhateverTheOrderOfEdges) {
  const std::string barrier = "mode: barrier, capacity: 2, overflow: reject";
  const std::string strict = "mode: queue, capacity: 2, overflow: fail_fast";
  for (const auto& policies : {std::vector{barrier, strict}, std::vector{strict, barrier}}) {
    const auto result = run_graph(fan_out(policies), {.steps = 1});
    ASSERT_EQ(result.errors.size(), 1U);
    EXPECT_EQ(result.errors.front().code, "channel_overflow");
    EXPECT_EQ(result.metric("runtime.channel.reject_count", "e0"), 1);
    EXPECT_EQ(result.metric("runtime.channel.reject_count", "e1"), 1);
  }
}

}  // namespace
}  // namespace millrace::graph
