#pragma once

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/metrics/metrics_registry.h"
#include "base/result.h"
#include "bridge/admin/graph_admin.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/payload.h"
#include "graph/run/run_options.h"
#include "graph/run/runtime.h"
#include "loop/stop.h"

namespace millrace::bridge {

/// A graph in wall time that waits for values, doubles them and keeps the last in a table.
class AskedGraph {
 public:
  AskedGraph() : registry_(graph::builtin_registry()), graph_(compile(registry_)) {
    graph::RuntimeRunnerOptions options;
    options.metrics = &metrics_;
    options.stop_token = stop_.token();
    runtime_ = std::make_unique<graph::Runtime>(graph_, registry_, std::move(options));
    EXPECT_TRUE(runtime_->start());
    admin_ = std::make_unique<GraphAdmin>(GraphAdmin::Parts{
        .runtime = *runtime_, .graph = graph_, .metrics = metrics_, .stop = [this] {
          stop_.request_stop();
        }});
  }

  [[nodiscard]] GraphAdmin& admin() { return *admin_; }
  [[nodiscard]] graph::Runtime& runtime() { return *runtime_; }
  [[nodiscard]] bool is_stop_requested() const { return stop_.stop_requested(); }

  /// Gives a value and waits until it has gone through.
  void inject(std::int64_t value) {
    ASSERT_TRUE(runtime_->inject("in", graph::Payload(value)));
    while (!runtime_->poll_output("out")) {
    }
  }

 private:
  static graph::CompiledGraph compile(const graph::ComponentRegistry& registry) {
    graph::CompileResult compiled = graph::compile_text(R"(
schema_version: 1
graph: {name: asked}
lanes:
  main: {type: event_loop}
components:
  - {id: in, type: core.input, execution: {lane: main}}
  - {id: twice, type: core.linear, config: {factor: 2}, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: main}}
  - {id: out, type: core.output, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: main}}
edges:
  - {id: a, kind: immediate, from: in.out, to: twice.in, policy: {mode: queue, capacity: 4}}
  - {id: b, kind: immediate, from: twice.out, to: out.in, policy: {mode: queue, capacity: 4}}
)",
                                                        graph::TextFormat::kYaml,
                                                        registry);
    EXPECT_TRUE(compiled.graph) << compiled.report.to_text("asked");
    return *std::move(compiled.graph);
  }

  base::MetricsRegistry metrics_;
  loop::StopSource stop_;
  graph::ComponentRegistry registry_;
  graph::CompiledGraph graph_;
  std::unique_ptr<graph::Runtime> runtime_;
  std::unique_ptr<GraphAdmin> admin_;
};

}  // namespace millrace::bridge
