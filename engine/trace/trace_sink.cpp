#include "trace/trace_sink.h"

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "base/sync/mutex.h"

namespace millrace::trace {

void MemorySink::consume(const RunTrace& run) {
  StoredRun stored{.trace_id = run.trace_id,
                   .records = {run.records.begin(), run.records.end()},
                   .topology = run.topology,
                   .is_complete = run.is_complete};
  base::MutexLock lock(mutex_);
  runs_.push_back(std::move(stored));
  if (runs_.size() > runs_max_) {
    runs_.pop_front();
    ++evicted_;
  }
}

void MemorySink::note_dropped(std::uint64_t total) {
  base::MutexLock lock(mutex_);
  dropped_ = total;
}

std::vector<MemorySink::StoredRun> MemorySink::take() {
  base::MutexLock lock(mutex_);
  std::vector<StoredRun> taken(std::make_move_iterator(runs_.begin()),
                               std::make_move_iterator(runs_.end()));
  runs_.clear();
  return taken;
}

std::uint64_t MemorySink::evicted_count() const {
  base::MutexLock lock(mutex_);
  return evicted_;
}

std::uint64_t MemorySink::dropped_count() const {
  base::MutexLock lock(mutex_);
  return dropped_;
}

}  // namespace millrace::trace
