#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"

namespace millrace::graph {

class DetachedCall;

/// A call that is watched: when its budget is over, and when it is given up.
struct Watch {
  InvocationRecord* record = nullptr;
  std::uint32_t domain = 0;
  Duration budget_at = Duration::max();
  Duration abandon_at = Duration::max();
  std::shared_ptr<DetachedCall> call = nullptr;  ///< if it can be given up
};

/// An overrun that lasts.
struct OverrunReport {
  std::uint32_t component = 0;
  std::uint32_t domain = 0;
  std::uint32_t worker = kNoIndex;
  std::uint64_t epoch = 0;
  Duration at{};  ///< at which the budget was over
};

/// What is due at a look at the watched calls.
struct WatchFindings {
  std::vector<OverrunReport> overruns = {};
  std::vector<std::shared_ptr<DetachedCall>> to_abandon = {};
  std::optional<Duration> next = {};  ///< when to look again
};

/// Watches calls while they run: requests the cancellation of one whose budget is over, and finds
/// those that are to be given up. Whoever owns it looks when something is due.
/// Threading: any thread.
class Watchdog {
 public:
  /// `wake` is called when a watch is due before the time of the last look's `next`, under the
  /// lock: it must not call the watchdog.
  explicit Watchdog(std::function<void()> wake) : wake_(std::move(wake)) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  [[nodiscard]] std::uint64_t arm(Watch watch) MR_EXCLUDES(mutex_);
  /// After this the record is not touched. Does nothing if the call was given up.
  void disarm(std::uint64_t id) MR_EXCLUDES(mutex_);
  [[nodiscard]] WatchFindings look(Duration now) MR_EXCLUDES(mutex_);

 private:
  struct Entry {
    std::uint64_t id = 0;
    Watch watch;
  };

  const std::function<void()> wake_;
  base::Mutex mutex_;
  std::vector<Entry> entries_ MR_GUARDED_BY(mutex_);
  std::uint64_t last_id_ MR_GUARDED_BY(mutex_) = 0;
  Duration next_look_ MR_GUARDED_BY(mutex_) = Duration::max();
};

}  // namespace millrace::graph
