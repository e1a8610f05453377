#include <chrono>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/result.h"
#include "graph/body/graph_context.h"
#include "graph/payload.h"
#include "graph/run/body_runner.h"
#include "graph/run/direct_fixture.h"
#include "graph/run/run_fixture.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

/// A free-running component that does what `mood` says in its second epoch, and else publishes a
/// number; behind it, an output.
RunText source_with(const std::string& on_error, const std::string& policy) {
  return {
      .components = {"id: s, type: t.Source, execution: {lane: main, on_error: " + on_error + "}",
                     "id: o, type: core.output, trigger_policy: {type: any_input}, "
                     "execution: {lane: main}"},
      .edges = {"id: so, kind: immediate, from: s.out, to: o.in, policy: {" + policy + "}"}};
}

using Mood = base::Status (*)(GraphContext& context);

TestTypes source_types(Mood mood) {
  TestTypes types;
  types.add_body("t.Source",
                 [mood](const Invocation& invocation, GraphContext& context) -> base::Status {
                   context.publish("out", Payload(static_cast<std::int64_t>(invocation.epoch())));
                   return invocation.epoch() == 2 ? mood(context) : base::Status();
                 });
  return types;
}

constexpr Mood kMoods[] = {
    [](GraphContext&) -> base::Status { return {}; },
    [](GraphContext& context) -> base::Status {
      context.publish("out", Payload(true));
      return {};
    },
    [](GraphContext& context) -> base::Status {
      context.spend(3ms);
      return {};
    },
    [](GraphContext& context) -> base::Status {
      context.state().write("t", "k", Payload(true));
      return {};
    },
    [](GraphContext& context) -> base::Status {
      context.finish();
      return {};
    },
    [](GraphContext&) -> base::Status {
      return base::fail(base::ErrorCode::kInvalidArgument, "no good");
    },
};

TEST(BodyDirect, G24_AFreeRunningComponentDoesTheSameWithAndWithoutARecord) {
  for (const Mood mood : kMoods) {
    for (const char* on_error : {"fail_fast", "continue", "isolate"}) {
      for (const char* policy : {"mode: latest",
                                 "mode: queue, capacity: 2",
                                 "mode: queue, capacity: 1, overflow: reject",
                                 "mode: queue, capacity: 1, overflow: drop_newest"}) {
        SCOPED_TRACE(std::string(on_error) + ", " + policy);
        expect_same(source_with(on_error, policy), source_types(mood));
      }
    }
  }
}

TEST(BodyDirect, G63_EachInvocationOfAFreeRunningComponentStartsACorrelation) {
  const RuntimeRunnerResult result =
      run_graph(source_with("fail_fast", "mode: latest"), {.steps = 3}, source_types(kMoods[0]));
  ASSERT_EQ(result.outputs.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(result.outputs[i].correlation, "s#" + std::to_string(i + 1));
    EXPECT_EQ(result.outputs[i].causation, "so#" + std::to_string(i + 1));
  }
}

}  // namespace
}  // namespace millrace::graph
