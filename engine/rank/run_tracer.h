#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "rank/loaded_plan.h"
#include "rank/request_run.h"
#include "rank/watch/topology_lease.h"
#include "trace/run_capture.h"
#include "trace/trace_collector.h"
#include "trace/trace_context.h"
#include "trace/trace_record.h"
#include "trace/trace_sink.h"

namespace millrace::rank {

/// Traces runs and writes the JSON that stands under `"trace"` in responses. It traces the runs
/// whose callers ask for it and, if there is a dump, all runs. Other runs are not traced at all.
///
/// Memory is bounded: threads write into rings, which are read when a traced request is answered
/// and, under a dump, once per `kCollectEvery` answers; what does not fit is counted as dropped.
/// Threading: any thread. Lifetime: outlives the worker pool that has its collector, and the plans
/// it has traced.
class RunTracer final : private trace::TraceSink {
 public:
  RunTracer();

  /// The collector that the worker pool writes to.
  [[nodiscard]] trace::TraceCollector& collector() { return collector_; }
  [[nodiscard]] const trace::TraceCollector& collector() const { return collector_; }
  /// Traces every run from now on and hands it to `sink`. Call it before the first request.
  /// Lifetime: `sink` outlives this.
  void dump_to(trace::TraceSink& sink);

  /// Gives the trace context for a new run. It traces if `wanted`, or if there is a dump.
  [[nodiscard]] trace::TraceContext begin(const LoadedPlan& plan, bool wanted) {
    if (!wanted && !dumps_) return {};
    return make_context(plan, wanted);
  }
  /// Call it when a run that was traced because somebody wanted it is answered; gives its records.
  [[nodiscard]] std::vector<trace::TraceRecord> take(trace::TraceId trace_id);
  /// Call it when any other traced run is answered, or when one was not started.
  void forget(trace::TraceId trace_id);
  /// Hands everything that is left to the dump. No run may be under way.
  void flush() { collector_.flush(); }

 private:
  using Records = std::vector<trace::TraceRecord>;
  static constexpr std::uint64_t kCollectEvery = 32;

  void consume(const trace::RunTrace& run) override;
  [[nodiscard]] trace::TraceContext make_context(const LoadedPlan& plan, bool wanted);
  void collect_sometimes();

  trace::TraceCollector collector_;
  bool dumps_ = false;  // constant once requests come
  // Counts of traced runs and of those that ended. Publish nothing.
  std::atomic<std::uint64_t> last_trace_{0};
  std::atomic<std::uint64_t> ended_{0};
  base::Mutex mutex_;
  // Runs whose records somebody wants; filled when they are collected.
  std::map<trace::TraceId, Records> kept_ MR_GUARDED_BY(mutex_);
};

/// Names and edges of a plan, for readers of its traces. A node that stands for several of the
/// source has all their ids, joined by `+`.
[[nodiscard]] trace::TraceTopology trace_topology_of(const plan::CompiledPlan& plan,
                                                     const runtime::Topology& topology);

/// Puts together what is known about a traced run of a plan.
[[nodiscard]] trace::RunCapture capture_run(const RequestRun& run,
                                            const LoadedPlan& plan,
                                            std::vector<trace::TraceRecord> records);

/// Appends the JSON of `"trace"`: when each node started and ended in us from the start of the run,
/// how it was started, its rows, and the critical path by latency.
void write_trace(const RequestRun& run,
                 std::span<const trace::TraceRecord> records,
                 std::string& out);

}  // namespace millrace::rank
