#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/graph.h"
#include "runtime/pool_settings.h"
#include "runtime/trace_writer.h"
#include "runtime/worker_pool.h"

namespace millrace::bench {

/// A graph of empty bodies on one worker, the caller, to see what tracing adds to a node.
/// Threading: not shared. Lifetime: borrows the collector.
class TraceRuns {
 public:
  /// `shape` is "ranking_10" or "random_200". `collector` may be null if no run is traced.
  TraceRuns(std::string_view shape, runtime::TraceCollector* collector);

  /// Runs the graph `count` times, one after the other.
  void run(std::uint64_t count, const runtime::TraceContext& trace);
  [[nodiscard]] std::uint32_t node_count() const { return graph_.topology().node_count(); }

 private:
  struct Context {
    std::uint64_t bodies = 0;
  };
  static runtime::Graph<Context> build(std::string_view shape);

  std::unique_ptr<runtime::WorkerPool> pool_;
  runtime::Graph<Context> graph_;
};

}  // namespace millrace::bench
