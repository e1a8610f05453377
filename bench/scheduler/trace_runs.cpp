#include "scheduler/trace_runs.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/result.h"
#include "runtime/graph.h"
#include "runtime/pool_settings.h"
#include "runtime/trace_writer.h"
#include "runtime/worker_pool.h"
#include "scheduler/shape.h"

namespace millrace::bench {

TraceRuns::TraceRuns(std::string_view shape, runtime::TraceCollector* collector)
    : graph_(build(shape)) {
  runtime::ExecutorConfig config;
  config.compute_threads = 1;
  config.trace = collector;
  auto pool = runtime::WorkerPool::create(config);
  MR_CHECK(pool.has_value());
  pool_ = *std::move(pool);
}

runtime::Graph<TraceRuns::Context> TraceRuns::build(std::string_view name) {
  constexpr std::uint64_t kSeed = 20'240'601;
  const Shape shape = name == "ranking_10" ? make_ranking() : make_random_layered(200, kSeed);
  runtime::GraphBuilder<Context> builder;
  for (NodeIndex node = 0; node < shape.node_count(); ++node) {
    runtime::NodeOptions options;
    for (const NodeIndex producer : shape.producers[node])
      options.after.push_back(std::to_string(producer));
    builder.cpu(
        std::to_string(node), [](Context& context) { ++context.bodies; }, std::move(options));
  }
  base::Result<runtime::Graph<Context>> graph = builder.build();
  MR_CHECK(graph.has_value());
  return *std::move(graph);
}

void TraceRuns::run(std::uint64_t count, const runtime::TraceContext& trace) {
  Context context;
  for (std::uint64_t run = 0; run < count; ++run)
    MR_CHECK(graph_.run(*pool_, context, {.trace = trace}).has_value());
  MR_CHECK(context.bodies == count * node_count(), context.bodies);
}

}  // namespace millrace::bench
