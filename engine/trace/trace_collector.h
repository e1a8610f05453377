#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "trace/trace_buffer.h"
#include "trace/trace_record.h"
#include "trace/trace_sink.h"

namespace millrace::trace {

/// Counts of recorded events and delivered runs.
struct TraceStats {
  std::uint64_t dropped_records = 0;  ///< refused by full buffers
  std::uint64_t complete_runs = 0;    ///< delivered with their `RunEnd`
  std::uint64_t incomplete_runs = 0;  ///< delivered without it: to bound memory, or by flush()
  std::size_t topology_count = 0;     ///< DAGs that are registered
};

/// Owns the buffers that threads write to, and moves their records to sinks, one whole run at a
/// time.
///
/// A run is delivered once its `RunEnd` has been read and every buffer has been read again after
/// that: everything written before the `RunEnd` has then been read. Memory is bounded by the
/// buffers and by `pending_records_max`; above that the oldest open run is delivered as incomplete.
/// Threading: any thread; collecting is serialised. Runs never call the collector.
class TraceCollector {
 public:
  struct Options {
    std::size_t buffer_capacity = std::size_t{16} * 1024;  ///< records per thread
    std::size_t pending_records_max = std::size_t{1024} * 1024;
  };

  TraceCollector() : TraceCollector(Options{}) {}
  explicit TraceCollector(Options options) : options_(options) {}

  /// Makes the buffer of one thread (or worker slot); `name` is its track, as in "worker 3".
  /// Lifetime: the buffer lives as long as the collector.
  [[nodiscard]] TraceBuffer& add_buffer(std::string name);

  /// Registers a DAG that runs will name in their `TraceContext`.
  [[nodiscard]] TraceTopologyId add_topology(TraceTopology topology);
  /// Forgets a DAG after the next `collect()`. No run of it may still be open.
  void remove_topology(TraceTopologyId id);

  /// Adds a receiver of all runs delivered from now on.
  /// Lifetime: `sink` must outlive the collector.
  void add_sink(TraceSink& sink);

  /// Reads all buffers and delivers the runs that are over.
  void collect() MR_EXCLUDES(collect_mutex_, registry_mutex_);
  /// Collects, then delivers open runs as incomplete. For shutdown.
  void flush() MR_EXCLUDES(collect_mutex_, registry_mutex_);

  [[nodiscard]] TraceStats stats() const MR_EXCLUDES(collect_mutex_, registry_mutex_);

 private:
  struct Track {
    std::string name;
    TraceBuffer buffer;
  };
  struct OpenRun {
    TraceId trace_id;
    std::vector<TraceRecord> records;
  };
  using Topologies = std::unordered_map<TraceTopologyId, std::shared_ptr<const TraceTopology>>;

  void collect_locked() MR_REQUIRES(collect_mutex_);
  void meet_new_tracks() MR_REQUIRES(collect_mutex_);
  std::vector<TraceId> read_buffers() MR_REQUIRES(collect_mutex_);
  void take_in(const TraceRecord& record) MR_REQUIRES(collect_mutex_);
  void deliver_ended(const std::vector<TraceId>& ended) MR_REQUIRES(collect_mutex_);
  void deliver(std::uint64_t sequence, bool is_complete) MR_REQUIRES(collect_mutex_);
  void report_drops() MR_REQUIRES(collect_mutex_);
  [[nodiscard]] std::shared_ptr<const TraceTopology> topology_of(const OpenRun& run)
      MR_EXCLUDES(registry_mutex_);

  const Options options_;

  // Guards what is registered. Held only briefly, so that a slow sink delays nobody.
  mutable base::Mutex registry_mutex_;
  std::vector<std::unique_ptr<Track>> tracks_ MR_GUARDED_BY(registry_mutex_);
  Topologies topologies_ MR_GUARDED_BY(registry_mutex_);
  std::vector<TraceTopologyId> removed_ MR_GUARDED_BY(registry_mutex_);
  std::uint32_t last_topology_ MR_GUARDED_BY(registry_mutex_) = 0;

  // Guards collecting and the sinks.
  mutable base::Mutex collect_mutex_;
  std::vector<TraceSink*> sinks_ MR_GUARDED_BY(collect_mutex_);
  std::vector<Track*> known_tracks_ MR_GUARDED_BY(collect_mutex_);
  std::vector<TraceRecord> scratch_ MR_GUARDED_BY(collect_mutex_);
  // Open runs by order of arrival, and the position in that order of each trace id.
  std::map<std::uint64_t, OpenRun> open_runs_ MR_GUARDED_BY(collect_mutex_);
  std::unordered_map<TraceId, std::uint64_t> sequence_of_ MR_GUARDED_BY(collect_mutex_);
  std::vector<TraceId> ended_ MR_GUARDED_BY(collect_mutex_);
  std::uint64_t next_sequence_ MR_GUARDED_BY(collect_mutex_) = 0;
  std::size_t pending_records_ MR_GUARDED_BY(collect_mutex_) = 0;
  TraceStats stats_ MR_GUARDED_BY(collect_mutex_);
};

}  // namespace millrace::trace
