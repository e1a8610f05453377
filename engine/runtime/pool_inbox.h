#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "loop/executor.h"
#include "loop/inbox.h"
#include "runtime/class_set.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {

class Run;

/// A place in a queue for a run, or for some of its ready nodes.
struct QueueEntry : loop::InboxLink {
  Run* run = nullptr;
  std::uint64_t payload = 0;
};

/// What comes to a pool from outside: runs that threads submit, nodes that loops hand over, jobs.
/// Threading: any thread. Lifetime: borrows entries and jobs until they are fetched.
class PoolInbox {
 public:
  /// Marks an item of a deque that is a `Job`, not a run.
  static constexpr std::uint64_t kJobPayload = UINT64_MAX;

  /// Passes a full fence after the push, so that the caller may look for sleepers next.
  void push(QueueEntry& entry, Priority priority);
  /// The same for a job, which has the class of most runs.
  void push(loop::Job& job);
  /// Moves everything of class `priority` to `deque`, whose owner calls this; false: there is
  /// nothing.
  [[nodiscard]] bool fetch(std::uint32_t priority, StealDeque<>& deque);
  /// The jobs that wait, oldest first, linked by `next`.
  [[nodiscard]] loop::InboxLink* take_jobs() { return jobs_.take_all(); }

  /// The classes of which something may wait. Written after the push it announces.
  [[nodiscard]] const ClassSet& classes() const { return classes_; }
  /// Runs and hand-overs that wait.
  [[nodiscard]] std::int64_t entry_count() const {
    return entry_count_.load(std::memory_order_relaxed);
  }

 private:
  alignas(base::kApartBytes) ClassSet classes_;
  std::array<loop::Inbox<>, kPriorityCount> inboxes_;
  loop::Inbox<> jobs_;
  std::atomic<std::int64_t> entry_count_{0};  // a statistic: publishes nothing
};

}  // namespace millrace::runtime
