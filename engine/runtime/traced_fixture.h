#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "runtime/pool_settings.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/trace.h"
#include "runtime/trace_collector.h"
#include "runtime/trace_record.h"
#include "runtime/trace_sink.h"
#include "runtime/trace_writer.h"

// For tests only: a scheduler that stands still, with tracing on.

namespace millrace::runtime {

/// What one run wrote.
struct WrittenTrace {
  std::vector<TraceRecord> records;

  [[nodiscard]] std::vector<TraceRecord> of(TraceKind kind) const {
    std::vector<TraceRecord> found;
    std::copy_if(records.begin(),
                 records.end(),
                 std::back_inserter(found),
                 [kind](const TraceRecord& record) { return record.kind == kind; });
    return found;
  }
  /// Nodes of the events of one kind, ascending.
  [[nodiscard]] std::vector<std::uint32_t> nodes_of(TraceKind kind) const {
    std::vector<std::uint32_t> nodes;
    for (const TraceRecord& record : of(kind)) nodes.push_back(record.node_index);
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }
  [[nodiscard]] const TraceRecord& last() const { return records.back(); }
};

/// Threading: not shared.
class TracedScheduler {
 public:
  explicit TracedScheduler(ExecutorConfig config) {
    collector.add_sink(sink);
    config.trace = &collector;
    lab = std::make_unique<TestScheduler>(config);
  }
  /// Starts a run with every event on.
  RunHandle submit(TestGraph& graph, const std::shared_ptr<Notes>& notes, RunOptions options = {}) {
    options.trace = next_trace(TraceFlag::All);
    return lab->submit(graph, notes, options);
  }
  /// Starts a run that is on the full path for nothing but its trace.
  RunHandle submit_plain(TestGraph& graph,
                         const std::shared_ptr<Notes>& notes,
                         TraceFlag flags = TraceFlag::All) {
    return lab->submit_without_loop(graph, notes, {.trace = next_trace(flags)});
  }
  /// Gives the trace of the only run that ended since the last call.
  [[nodiscard]] WrittenTrace take() {
    collector.flush();
    std::vector<MemorySink::StoredRun> runs = sink.take();
    MR_CHECK(runs.size() == 1, runs.size());
    return {std::move(runs.front().records)};
  }
  /// Runs the graph to its end and gives what it wrote.
  [[nodiscard]] WrittenTrace trace(TestGraph& graph) {
    const RunHandle run = submit(graph, std::make_shared<Notes>());
    lab->settle();
    return take();
  }

  MemorySink sink;
  TraceCollector collector;
  std::unique_ptr<TestScheduler> lab;

 private:
  TraceContext next_trace(TraceFlag flags) {
    return TraceContext(TraceId(++last_id_), flags, TraceTopologyId(0));
  }

  std::uint64_t last_id_ = 0;
};

}  // namespace millrace::runtime
