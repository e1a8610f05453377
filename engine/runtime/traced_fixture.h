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
#include "trace/trace.h"
#include "trace/trace_collector.h"
#include "trace/trace_record.h"
#include "trace/trace_sink.h"
#include "trace/trace_writer.h"

// For tests only: a scheduler that moves only when told to, with tracing on.

namespace millrace::runtime {

/// The records of one run.
struct WrittenTrace {
  std::vector<trace::TraceRecord> records;

  [[nodiscard]] std::vector<trace::TraceRecord> of(trace::TraceKind kind) const {
    std::vector<trace::TraceRecord> found;
    std::copy_if(records.begin(),
                 records.end(),
                 std::back_inserter(found),
                 [kind](const trace::TraceRecord& record) { return record.kind == kind; });
    return found;
  }
  /// Nodes of the events of one kind, ascending.
  [[nodiscard]] std::vector<std::uint32_t> nodes_of(trace::TraceKind kind) const {
    std::vector<std::uint32_t> nodes;
    for (const trace::TraceRecord& record : of(kind)) nodes.push_back(record.node_index);
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }
  [[nodiscard]] const trace::TraceRecord& last() const { return records.back(); }
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
  RunHandle submit(TestDag& dag, const std::shared_ptr<Notes>& notes, RunOptions options = {}) {
    options.trace = next_trace(trace::TraceFlag::All);
    return lab->submit(dag, notes, options);
  }
  /// Starts a run that takes the full path only because it is traced.
  RunHandle submit_plain(TestDag& dag,
                         const std::shared_ptr<Notes>& notes,
                         trace::TraceFlag flags = trace::TraceFlag::All) {
    return lab->submit_without_loop(dag, notes, {.trace = next_trace(flags)});
  }
  /// Gives the trace of the only run that ended since the last call.
  [[nodiscard]] WrittenTrace take() {
    collector.flush();
    std::vector<trace::MemorySink::StoredRun> runs = sink.take();
    MR_CHECK(runs.size() == 1, runs.size());
    return {std::move(runs.front().records)};
  }
  /// Runs the DAG to its end and gives what it wrote.
  [[nodiscard]] WrittenTrace trace(TestDag& dag) {
    const RunHandle run = submit(dag, std::make_shared<Notes>());
    lab->settle();
    return take();
  }

  trace::MemorySink sink;
  trace::TraceCollector collector;
  std::unique_ptr<TestScheduler> lab;

 private:
  trace::TraceContext next_trace(trace::TraceFlag flags) {
    return trace::TraceContext(trace::TraceId(++last_id_), flags, trace::TraceTopologyId(0));
  }

  std::uint64_t last_id_ = 0;
};

}  // namespace millrace::runtime
