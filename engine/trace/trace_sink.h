#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "trace/trace.h"
#include "trace/trace_record.h"

namespace millrace::trace {

/// All records of one run, in order of time with `RunEnd` last.
/// Lifetime: `records` is valid during the call that passes it; `topology` may be kept.
struct RunTrace {
  TraceId trace_id;
  std::span<const TraceRecord> records;
  std::shared_ptr<const TraceTopology> topology{};  ///< null if the run named none
  bool is_complete = true;  ///< false: delivered before its `RunEnd` was read
};

/// Receives finished runs from a collector. A sink handles its own failures, so that tracing never
/// changes a run. Threading: calls come one at a time, from whichever thread collects.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void consume(const RunTrace& run) = 0;
  /// Gives the name of a track (`TraceRecord::track`). Called before the first record that uses it.
  virtual void name_track(std::uint16_t /*track*/, std::string_view /*name*/) {}
  /// Gives the number of records that the whole process has dropped so far. Called when it has
  /// grown.
  virtual void note_dropped(std::uint64_t /*total*/) {}
};

/// Keeps the newest runs in memory, for tests and tools.
/// Threading: any thread.
class MemorySink final : public TraceSink {
 public:
  struct StoredRun {
    TraceId trace_id;
    std::vector<TraceRecord> records;
    std::shared_ptr<const TraceTopology> topology;
    bool is_complete = true;
  };

  /// Keeps at most `runs_max` runs; older ones are removed and counted.
  explicit MemorySink(std::size_t runs_max = 1024) : runs_max_(runs_max) {}

  void consume(const RunTrace& run) override;
  void note_dropped(std::uint64_t total) override;

  /// Removes and returns all kept runs, oldest first.
  [[nodiscard]] std::vector<StoredRun> take();
  [[nodiscard]] std::uint64_t evicted_count() const;
  [[nodiscard]] std::uint64_t dropped_count() const;

 private:
  const std::size_t runs_max_;
  mutable base::Mutex mutex_;
  std::deque<StoredRun> runs_ MR_GUARDED_BY(mutex_);
  std::uint64_t evicted_ MR_GUARDED_BY(mutex_) = 0;
  std::uint64_t dropped_ MR_GUARDED_BY(mutex_) = 0;
};

}  // namespace millrace::trace
