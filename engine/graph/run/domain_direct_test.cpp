#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/format.h"
#include "base/result.h"
#include "graph/body/graph_context.h"
#include "graph/payload.h"
#include "graph/run/direct_fixture.h"
#include "graph/run/domain.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"

namespace millrace::graph {
namespace {

/// A body that does for each number something else; `period` shifts when.
FunctionComponent::Body moody(std::int64_t period) {
  return [period](const Invocation& invocation, GraphContext& context) -> base::Status {
    for (const InputMessage& input : invocation.messages()) {
      const std::int64_t number = *input.message.value.find_int();
      if (number % (period + 7) == 5) context.spend(std::chrono::microseconds(number));
      if (number % (period + 3) == 2) continue;
      context.publish("out", Payload(number));
      if (number % (period + 5) == 1) context.publish("out", Payload(number + 1000));
      if (number % (period + 9) == 4) context.state().write("t", "k", Payload(number));
      if (number % (period + 4) == 3) {
        return base::fail(base::ErrorCode::kInvalidArgument, "no good");
      }
    }
    return {};
  };
}

constexpr const char* kAny = "trigger_policy: {type: any_input}";

RunText two_moody_ones(const std::string& on_error, const std::string& policy) {
  return {
      .components =
          {"id: s, type: core.counter, config: {per_invocation: 9}, execution: {lane: main}",
           base::format(
               "id: a, type: t.a, {}, execution: {{lane: main, on_error: {}}}", kAny, on_error),
           base::format(
               "id: b, type: t.b, {}, execution: {{lane: main, on_error: {}}}", kAny, on_error),
           base::format("id: j, type: core.linear, {}, execution: {{lane: main}}", kAny),
           base::format("id: o, type: core.output, {}, execution: {{lane: main}}", kAny)},
      .edges = {
          "id: sa, kind: immediate, from: s.out, to: a.in, policy: {mode: queue, "
          "capacity: 16}",
          "id: sb, kind: immediate, from: s.out, to: b.in, policy: {mode: queue, "
          "capacity: 16}",
          "id: aj, kind: immediate, from: a.out, to: j.x, policy: {mode: queue, " + policy + "}",
          "id: bj, kind: immediate, from: b.out, to: j.y, policy: {mode: queue, " + policy + "}",
          "id: bo, kind: immediate, from: b.out, to: o.y, policy: {mode: queue, "
          "capacity: 32}",
          "id: jo, kind: immediate, from: j.out, to: o.in, policy: {mode: queue, "
          "capacity: 64}"}};
}

TEST(DirectRun, IsTheSameAsByRecordsWhateverBodiesDo) {
  for (const std::int64_t period : {0, 1, 2, 3, 5, 8, 40}) {
    SCOPED_TRACE(period);
    TestTypes types;
    types.add_body("t.a", moody(period)).add_body("t.b", moody(period + 2));
    for (const char* on_error : {"continue", "isolate", "fail_fast"}) {
      expect_same(two_moody_ones(on_error, "capacity: 32"), types);
      expect_same(two_moody_ones(on_error, "capacity: 5, overflow: drop_newest"), types);
      expect_same(two_moody_ones(on_error, "capacity: 5, overflow: reject"), types);
      expect_same(two_moody_ones(on_error, "capacity: 5, overflow: overwrite"), types);
    }
    expect_same(two_moody_ones("{restart: {max: 100, window: 1s, backoff: 1us}}", "capacity: 32"),
                types);
  }
}

TEST(DirectRun, G46_AFailureDropsWhatItsStageHasStaged) {
  TestTypes types;
  types.add_body("t.a", [](const Invocation& invocation, GraphContext& context) -> base::Status {
    context.publish("out", invocation.messages().front().message.value);
    return {};
  });
  types.add_body("t.b", [](const Invocation& invocation, GraphContext& context) -> base::Status {
    const std::int64_t number = *invocation.messages().front().message.value.find_int();
    context.publish("out", Payload(number));
    // In the second epoch, after it has published three values.
    if (number < 13) return {};
    return base::fail(base::ErrorCode::kInvalidArgument, "no good");
  });
  const RuntimeRunnerResult result =
      run_graph(two_moody_ones("fail_fast", "capacity: 32"), {.steps = 3}, types);
  ASSERT_FALSE(result.ok);
  EXPECT_EQ(result.errors.front().component, "b");
  // Nine values of the first epoch by three ways: a, b by j and b itself. None of the second.
  EXPECT_EQ(result.outputs.size(), 27U);
  for (const OutputRecord& output : result.outputs) EXPECT_EQ(output.epoch, 1U);
  for (const RuntimeMetric& metric : result.runtime_metrics) {
    if (metric.name != "runtime.channel.publish_count" || metric.channel_id != "aj") continue;
    EXPECT_EQ(metric.value, 9);
  }
}

TEST(DirectRun, G14_ABodyIsToldWhatBecameOfItsLastPublication) {
  std::vector<std::uint32_t> committed;
  TestTypes types;
  const auto body = [&committed](const Invocation& invocation,
                                 GraphContext& context) -> base::Status {
    committed.push_back(context.publish_report("out").committed);
    const std::int64_t number = *invocation.messages().front().message.value.find_int();
    if (number != 2) context.publish("out", Payload(number));
    return {};
  };
  types.add_body("t.a", body);
  run_graph({.components = {"id: s, type: core.counter, execution: {lane: main}",
                            base::format("id: a, type: t.a, {}, execution: {{lane: main}}", kAny),
                            base::format("id: o, type: core.output, {}, execution: {{lane: main}}",
                                         kAny)},
             .edges = {"id: sa, kind: immediate, from: s.out, to: a.in",
                       "id: ao, kind: immediate, from: a.out, to: o.in"}},
            {.steps = 4},
            types);
  EXPECT_EQ(committed, (std::vector<std::uint32_t>{0, 1, 0, 1}));
}

}  // namespace
}  // namespace millrace::graph
