#include "graph/threads/watchdog.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "base/sync/mutex.h"
#include "graph/body/message.h"

namespace millrace::graph {

std::uint64_t Watchdog::arm(Watch watch) {
  const Duration due = std::min(watch.budget_at, watch.abandon_at);
  const base::MutexLock lock(mutex_);
  const std::uint64_t id = ++last_id_;
  entries_.push_back({.id = id, .watch = std::move(watch)});
  if (due >= next_look_) return id;
  next_look_ = due;
  // Under the lock: once the watch can be seen, the call may be given up, and with the last call
  // the run and this watchdog may go.
  if (wake_) wake_();
  return id;
}

void Watchdog::disarm(std::uint64_t id) {
  const base::MutexLock lock(mutex_);
  std::erase_if(entries_, [id](const Entry& entry) { return entry.id == id; });
}

WatchFindings Watchdog::look(Duration now) {
  WatchFindings findings;
  const base::MutexLock lock(mutex_);
  for (Entry& entry : entries_) {
    Watch& watch = entry.watch;
    if (watch.budget_at > now) continue;
    InvocationRecord& record = *watch.record;
    // The body reads it at the same time.
    std::atomic_ref(record.was_cancelled).store(true, std::memory_order_relaxed);
    record.was_reported = true;
    findings.overruns.push_back({.component = record.component,
                                 .domain = watch.domain,
                                 .worker = record.worker,
                                 .epoch = record.epoch,
                                 .at = watch.budget_at});
    watch.budget_at = Duration::max();
  }
  std::erase_if(entries_, [&](Entry& entry) {
    if (entry.watch.abandon_at > now) return false;
    findings.to_abandon.push_back(std::move(entry.watch.call));
    return true;
  });
  next_look_ = Duration::max();
  for (const Entry& entry : entries_) {
    next_look_ = std::min({next_look_, entry.watch.budget_at, entry.watch.abandon_at});
  }
  if (next_look_ != Duration::max()) findings.next = next_look_;
  return findings;
}

}  // namespace millrace::graph
