// The memory of a run does not grow with its epochs.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <malloc.h>

#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/payload.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime.h"

#if __has_feature(address_sanitizer)
#include <sanitizer/allocator_interface.h>
#endif

namespace millrace::graph {
namespace {

/// What a list or map of a run may take when it grows for the last time. One byte more in every
/// epoch is more than that.
constexpr std::size_t kSlackBytes = 8 * 1024;

std::size_t bytes_in_use() {
#if __has_feature(address_sanitizer)
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

std::uint64_t epoch_count() {
  const char* const asked = std::getenv("MILLRACE_GRAPH_EPOCHS");
  return asked == nullptr ? 10'000 : std::strtoull(asked, nullptr, 10);
}

/// Everything that keeps something between epochs: queues that overflow, a loop, a pool that
/// rejects, delayed, state and async edges, tasks, restarts, a state table, an output with ages.
constexpr std::string_view kBusyGraph = R"(
schema_version: 1
graph: {name: busy, kind: internal_test, tasks: {max_inflight: 2}}
lanes:
  tick: {type: fixed_rate, period: 1ms}
  pool: {type: thread_pool, max_threads: 2, queue_capacity: 0}
components:
  - {id: source, type: core.counter, config: {per_invocation: 3}, execution: {lane: tick}}
  - {id: narrow, type: core.linear, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: tick}}
  - {id: work, type: core.spend, config: {cost: 1us}, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: pool, reentrant: true}}
  - {id: breaks, type: core.fail, config: {fail_at: [2]}, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: tick, on_error: {restart: {max: 9, window: 1ms, backoff: 2ms}}}}
  - {id: later, type: core.task, config: {delay: 2ms}, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: tick}}
  - {id: all, type: core.collect, trigger_policy: {type: batch, batch_size: 4, batch_window: 3ms, inputs: [in]}, execution: {lane: tick}}
  - {id: relax, type: core.relax, config: {target: 1}, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: tick}}
  - {id: again, type: core.linear, config: {factor: 0.5}, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: tick}}
  - {id: out, type: core.output, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: tick}}
edges:
  - {id: to_narrow, kind: immediate, from: source.out, to: narrow.in, policy: {mode: queue, capacity: 2, overflow: drop_oldest}}
  - {id: to_work, kind: immediate, from: source.out, to: work.in, policy: {mode: queue, capacity: 8, overflow: drop_oldest}}
  - {id: to_breaks, kind: delay, from: source.out, to: breaks.in, policy: {mode: queue, capacity: 2, overflow: drop_newest}}
  - {id: to_later, kind: immediate, from: narrow.out, to: later.in, policy: {mode: queue, capacity: 4, overflow: drop_oldest}}
  - {id: back, kind: async, from: later.out, to: all.in, policy: {mode: queue, capacity: 16, overflow: drop_oldest}}
  - {id: in_loop, kind: immediate, from: narrow.out, to: again.in}
  - {id: loop_a, kind: immediate, from: relax.out, to: again.in}
  - {id: loop_b, kind: immediate, from: again.out, to: relax.in}
  - {id: shown, kind: state, from: all.out, to: out.in, policy: {mode: queue, capacity: 4, overflow: drop_oldest}}
composite_loops:
  - {id: solve, components: [again, relax], loop_policy: {type: fixed_point, max_iterations: 3}}
)";

TEST(GraphMemory, G53_DoesNotGrowWithTheNumberOfEpochs) {
  const ComponentRegistry registry = builtin_registry();
  const CompileResult compiled = compile_text(kBusyGraph, TextFormat::kYaml, registry);
  ASSERT_TRUE(compiled.graph) << compiled.report.to_text("busy");
  RuntimeRunnerOptions options;
  options.virtual_time = true;
  Runtime runtime(*compiled.graph, registry, std::move(options));
  ASSERT_TRUE(runtime.start());
  const std::uint64_t epochs = epoch_count();
  const std::uint64_t warm = epochs / 10;
  ASSERT_EQ(runtime.step("", warm).value_or(0), warm);
  const std::size_t before = bytes_in_use();
  ASSERT_EQ(runtime.step("", epochs - warm).value_or(0), epochs - warm);
  const std::size_t after = bytes_in_use();
  EXPECT_LE(after, before + kSlackBytes) << "bytes more after " << epochs << " epochs";
  // It has done all that could have kept something.
  const RuntimeRunnerResult result = runtime.result();
  EXPECT_TRUE(result.ok) << result.errors.front().message;
  for (const char* metric : {"runtime.channel.overwrite_count",
                             "runtime.channel.drop_count",
                             "runtime.scheduler.rejected_count",
                             "runtime.component.restart_count",
                             "runtime.task.rejected_count",
                             "runtime.task.completed_count",
                             "runtime.loop.iterations",
                             "runtime.trigger.batch_flush_count",
                             "runtime.path.age_ms"}) {
    EXPECT_GT(result.metric(metric), 0) << metric;
  }
}

/// Two edges lead to a domain that nobody steps.
constexpr std::string_view kGraphWithARestingDomain = R"(
schema_version: 1
graph: {name: resting, kind: internal_test}
lanes:
  main: {type: fixed_rate, period: 1ms}
  hand: {type: manual_step}
components:
  - {id: source, type: core.counter, config: {per_invocation: 3}, execution: {lane: main}}
  - {id: task, type: core.task, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: main}}
  - {id: out, type: core.output, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: hand}}
edges:
  - {id: to_task, kind: immediate, from: source.out, to: task.in, policy: {mode: queue, capacity: 3}}
  - {id: newest, kind: async, from: source.out, to: out.in}
  - {id: some, kind: delay, from: source.out, to: out.in, policy: {mode: queue, capacity: 4, overflow: drop_oldest}}
  - {id: results, kind: async, from: task.out, to: out.in, policy: {mode: queue, capacity: 2, overflow: drop_oldest}}
)";

TEST(GraphMemory, G53_ADomainThatRestsKeepsOnlyWhatItsEdgesHold) {
  const ComponentRegistry registry = builtin_registry();
  const CompileResult compiled =
      compile_text(kGraphWithARestingDomain, TextFormat::kYaml, registry);
  ASSERT_TRUE(compiled.graph) << compiled.report.to_text("resting");
  Runtime runtime(*compiled.graph, registry, {.virtual_time = true});
  ASSERT_TRUE(runtime.start());
  const std::uint64_t epochs = epoch_count();
  const std::uint64_t warm = epochs / 10;
  ASSERT_EQ(runtime.step("main", warm).value_or(0), warm);
  const std::size_t before = bytes_in_use();
  ASSERT_EQ(runtime.step("main", epochs - warm).value_or(0), epochs - warm);
  EXPECT_LE(bytes_in_use(), before + kSlackBytes) << "bytes more after " << epochs << " epochs";
  // What is left arrives in the order in which it left.
  ASSERT_EQ(runtime.step("hand", 1).value_or(0), 1U);
  const auto last = static_cast<std::int64_t>(3 * epochs);
  for (const std::int64_t value : {last - 3, last - 2, last - 1, last, last, last - 1, last}) {
    const auto output = runtime.poll_output("out");
    ASSERT_TRUE(output);
    EXPECT_EQ(output->value, Payload(value));
  }
  EXPECT_FALSE(runtime.poll_output("out"));
}

/// A queue and a step: what most of every graph is.
constexpr std::string_view kPlainGraph = R"(
schema_version: 1
graph: {name: plain, kind: internal_test}
lanes:
  main: {type: event_loop}
components:
  - {id: source, type: core.counter, config: {per_invocation: 4}, execution: {lane: main}}
  - {id: step, type: core.linear, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: main}}
edges:
  - {id: e, kind: immediate, from: source.out, to: step.in, policy: {mode: queue, capacity: 4}}
)";

TEST(GraphMemory, G53_TracingThatIsOffKeepsNothing) {
  const ComponentRegistry registry = builtin_registry();
  const CompileResult compiled = compile_text(kPlainGraph, TextFormat::kYaml, registry);
  ASSERT_TRUE(compiled.graph);
  std::size_t grown[2] = {};
  for (const bool is_traced : {false, true}) {
    RuntimeRunnerOptions options;
    options.virtual_time = true;
    options.trace = is_traced;
    options.trace_events_max = 20'000;
    Runtime runtime(*compiled.graph, registry, std::move(options));
    ASSERT_TRUE(runtime.start());
    ASSERT_TRUE(runtime.step("", 10));
    const std::size_t before = bytes_in_use();
    ASSERT_TRUE(runtime.step("", 5'000));
    grown[is_traced ? 1 : 0] = bytes_in_use() - before;
    EXPECT_EQ(runtime.result().metric("runtime.trace.event_count") > 0, is_traced);
    EXPECT_EQ(runtime.result().metric("runtime.trace.dropped_count") > 0, is_traced)
        << "events beyond the bound are dropped and counted";
  }
  EXPECT_EQ(grown[0], 0U);
  EXPECT_GT(grown[1], 0U);
}

}  // namespace
}  // namespace millrace::graph
