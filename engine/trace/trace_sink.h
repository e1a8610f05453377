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

/// All that was recorded of one run, in order of time with `RunEnd` last.
/// Lifetime: `records` is valid during the call that passes it; `topology` may be kept.
struct RunTrace {
  TraceId trace_id;
  std::span<const TraceRecord> records;
  std::shared_ptr<const TraceTopology> topology{};  ///< null when the run named none
  bool is_complete = true;  ///< false: given up before its `RunEnd` was seen
};

/// Receives finished runs from a collector. A sink that fails keeps its failure to itself:
/// observing never steers. Threading: calls come one at a time, from whichever thread collects.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void consume(const RunTrace& run) = 0;
  /// Says what `TraceRecord::track` stands for; comes before the first record that uses it.
  virtual void name_track(std::uint16_t /*track*/, std::string_view /*name*/) {}
  /// Says how many records of the whole process were dropped so far; comes when it has grown.
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

  /// Keeps at most `runs_max` runs; older ones make room and are counted.
  explicit MemorySink(std::size_t runs_max = 1024) : runs_max_(runs_max) {}

  void consume(const RunTrace& run) override;
  void note_dropped(std::uint64_t total) override;

  /// Takes out everything kept so far, oldest first.
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
