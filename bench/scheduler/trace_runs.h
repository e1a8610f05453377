#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/flow.h"
#include "runtime/pool_settings.h"
#include "runtime/worker_pool.h"
#include "trace/trace_context.h"

namespace millrace::bench {

/// A flow of empty bodies on one worker, the caller, to measure what tracing adds to a node.
/// Threading: not shared. Lifetime: borrows the collector.
class TraceRuns {
 public:
  /// `shape` is "ranking_10" or "random_200". `collector` may be null if no run is traced.
  TraceRuns(std::string_view shape, trace::TraceCollector* collector);

  /// Runs the flow `count` times, one after the other.
  void run(std::uint64_t count, const trace::TraceContext& trace);
  [[nodiscard]] std::uint32_t node_count() const { return flow_.topology().node_count(); }

 private:
  struct Context {
    std::uint64_t bodies = 0;
  };
  static runtime::Flow<Context> build(std::string_view shape);

  std::unique_ptr<runtime::WorkerPool> pool_;
  runtime::Flow<Context> flow_;
};

}  // namespace millrace::bench
