#include "scheduler/trace_runs.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/result.h"
#include "runtime/flow.h"
#include "runtime/pool_settings.h"
#include "runtime/worker_pool.h"
#include "scheduler/shape.h"
#include "trace/trace_context.h"

namespace millrace::bench {

TraceRuns::TraceRuns(std::string_view shape, trace::TraceCollector* collector)
    : flow_(build(shape)) {
  runtime::ExecutorConfig config;
  config.compute_threads = 1;
  config.trace = collector;
  auto pool = runtime::WorkerPool::create(config);
  MR_CHECK(pool.has_value());
  pool_ = *std::move(pool);
}

runtime::Flow<TraceRuns::Context> TraceRuns::build(std::string_view name) {
  constexpr std::uint64_t kSeed = 20'240'601;
  const Shape shape = name == "ranking_10" ? make_ranking() : make_random_layered(200, kSeed);
  runtime::FlowBuilder<Context> builder;
  for (NodeIndex node = 0; node < shape.node_count(); ++node) {
    runtime::NodeOptions options;
    for (const NodeIndex producer : shape.producers[node])
      options.after.push_back(std::to_string(producer));
    builder.cpu(
        std::to_string(node), [](Context& context) { ++context.bodies; }, std::move(options));
  }
  base::Result<runtime::Flow<Context>> flow = builder.build();
  MR_CHECK(flow.has_value());
  return *std::move(flow);
}

void TraceRuns::run(std::uint64_t count, const trace::TraceContext& trace) {
  Context context;
  for (std::uint64_t run = 0; run < count; ++run)
    MR_CHECK(flow_.run(*pool_, context, {.trace = trace}).has_value());
  MR_CHECK(context.bodies == count * node_count(), context.bodies);
}

}  // namespace millrace::bench
