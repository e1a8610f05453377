#include "graph/message_shape.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/run/run_options.h"
#include "graph/run/runtime.h"

namespace millrace::bench {
namespace {

constexpr auto kShapes = std::to_array<MessageShape>({
    {.name = "chain_10", .first = 1, .chain = 10},
    {.name = "fan_out_8", .first = 8},
    {.name = "fan_in_8", .first = 8, .joins = true},
});

std::string text_of(const MessageShape& shape, std::uint32_t per_epoch) {
  std::string components = base::format(
      "  - {{id: source, type: core.counter, config: {{per_invocation: {}}}, execution: {{lane: "
      "main}}}}\n",
      per_epoch);
  std::string edges;
  const auto add_component = [&components](const std::string& id) {
    components += base::format(
        "  - {{id: {}, type: core.linear, config: {{offset: 1}}, trigger_policy: {{type: "
        "any_input, inputs: [in]}}, execution: {{lane: main}}}}\n",
        id);
  };
  const auto add_edge = [&edges](const std::string& from, const std::string& to) {
    edges += base::format(
        "  - {{id: {0}_{1}, kind: immediate, from: {0}.out, to: {1}.in, policy: {{mode: queue, "
        "capacity: 16}}}}\n",
        from,
        to);
  };
  for (std::uint32_t i = 0; i < shape.first; ++i) {
    std::string before = "source";
    for (std::uint32_t k = 0; k < shape.chain; ++k) {
      const std::string id = base::format("n{}_{}", i, k);
      add_component(id);
      add_edge(before, id);
      before = id;
    }
  }
  if (shape.joins) {
    add_component("join");
    for (std::uint32_t i = 0; i < shape.first; ++i) add_edge(base::format("n{}_0", i), "join");
  }
  return "schema_version: 1\ngraph: {name: bench, kind: internal_test}\nlanes:\n  main: {type: "
         "event_loop}\ncomponents:\n" +
         components + "edges:\n" + edges;
}

}  // namespace

std::span<const MessageShape> message_shapes() { return kShapes; }

const MessageShape* find_message_shape(std::string_view name) {
  const auto found = std::ranges::find(kShapes, name, &MessageShape::name);
  return found == kShapes.end() ? nullptr : &*found;
}

MessageRun::MessageRun(graph::CompiledGraph graph,
                       const MessageShape& shape,
                       std::uint32_t per_epoch)
    : shape_(shape),
      per_epoch_(per_epoch),
      registry_(graph::builtin_registry()),
      graph_(std::move(graph)) {
  graph::RuntimeRunnerOptions options;
  options.virtual_time = true;
  runtime_ = std::make_unique<graph::Runtime>(graph_, registry_, std::move(options));
}

base::Result<std::unique_ptr<MessageRun>> MessageRun::make(const MessageShape& shape,
                                                           std::uint32_t per_epoch) {
  graph::CompileResult compiled = graph::compile_text(
      text_of(shape, per_epoch), graph::TextFormat::kYaml, graph::builtin_registry());
  if (!compiled.graph) {
    return base::fail(base::ErrorCode::kInternal, compiled.report.to_text(std::string(shape.name)));
  }
  std::unique_ptr<MessageRun> run(new MessageRun(*std::move(compiled.graph), shape, per_epoch));
  MR_TRY_STATUS(run->runtime_->start());
  return run;
}

std::uint64_t MessageRun::invocations() const { return runtime_->result().invocations; }

base::Status MessageRun::run(std::uint64_t epochs) {
  const std::uint64_t before = invocations();
  MR_TRY(const std::uint64_t done, runtime_->step("", epochs));
  const std::uint64_t wanted = epochs * (1 + std::uint64_t{per_epoch_} * shape_.invocations());
  if (done == epochs && invocations() - before == wanted) return {};
  return base::fail(base::ErrorCode::kInternal,
                    base::format("{}: {} invocations in {} epochs instead of {}",
                                 shape_.name,
                                 invocations() - before,
                                 done,
                                 wanted));
}

}  // namespace millrace::bench
