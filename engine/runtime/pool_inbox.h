#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/sync/atomics.h"
#include "base/sync/mutex.h"
#include "base/sync/scoped_lock.h"
#include "loop/executor.h"
#include "loop/inbox.h"
#include "runtime/class_set.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {

class Run;

// The payload of a `DequeItem` of a run: a ready node, and the credit that travels with it. Without
// a node it is a run that has not begun.
/// In an item's node: more nodes follow it along the run's links.
inline constexpr std::uint32_t kChainBit = 1U << 31U;
[[nodiscard]] constexpr std::uint64_t pack_item(std::uint32_t node, std::uint32_t credit) {
  return (static_cast<std::uint64_t>(credit) << 32U) | node;
}

/// A place in a queue for a run, or for some of its ready nodes.
struct QueueEntry : loop::InboxLink {
  Run* run = nullptr;
  std::uint64_t payload = 0;
};

/// What comes to a pool from outside: runs that threads submit, nodes that loops hand over, jobs.
/// Within a class whoever came first is taken first, whichever worker takes it; of a job and a run
/// that came since a worker last looked, the run.
///
/// Each class has two queues. Producers push to `arrivals`, which costs them one compare-exchange.
/// Workers take from `line`; whoever finds it empty moves all arrivals there, under a lock that
/// nobody else needs meanwhile. So everything in the line is older than every arrival.
///
/// Invariant: if something waits, its class is in `classes`, or a worker that is awake is about to
/// insert it there. Whoever puts something in a queue inserts the class afterwards, also when it
/// moves arrivals: while they are in its hands, others find both queues empty and remove the class.
/// Whoever removes the class looks at both queues afterwards, inserts it again if something is
/// there, and then looks for sleepers, or for work, itself. tests/model/pool_inbox_model_test.cpp
/// tries every interleaving.
///
/// Threading: any thread. Lifetime: borrows entries and jobs until they are taken.
template <class Atomics = base::StdAtomics, class Lock = base::Mutex>
class PoolInbox {
 public:
  /// Marks an item that is a `Job`, not a run.
  static constexpr std::uint64_t kJobPayload = UINT64_MAX;

  /// `line_capacity`: how many items a line holds before it grows.
  explicit PoolInbox(std::size_t line_capacity = StealDeque<Atomics>::kInitialCapacity)
      : queues_{Queues(line_capacity),
                Queues(line_capacity),
                Queues(line_capacity),
                Queues(line_capacity)} {}

  /// Passes a full fence after the push, so that the caller may look for sleepers next.
  void push(QueueEntry& entry, Priority priority) {
    const auto index = static_cast<std::size_t>(priority);
    arrival_count_.fetch_add(1, std::memory_order_relaxed);
    queues_[index].arrivals.push(entry);
    classes_.insert_shared(index);
  }
  /// The same for a job, which has the class of most runs.
  void push(loop::Job& job) {
    jobs_.push(job);
    classes_.insert_shared(kJobClass);
  }
  /// The same for a strand that makes room: it goes behind everything that waits by now.
  void push_strand(const DequeItem& item, std::size_t priority) {
    {
      Queues& queues = queues_[priority];
      base::ScopedLock<Lock> lock(queues.mutex);
      move_arrivals(priority, queues.line);
      queues.line.push(item);
    }
    classes_.insert_shared(priority);
  }
  /// Takes the oldest of a class. False: there is nothing.
  [[nodiscard]] bool try_take(std::size_t priority, DequeItem& item) {
    if (!classes_.has(priority)) return false;
    Queues& queues = queues_[priority];
    StealResult result = StealResult::kLost;
    while (result == StealResult::kLost) result = queues.line.steal(item);
    bool found = result == StealResult::kTaken;
    if (!found) {
      base::ScopedLock<Lock> lock(queues.mutex);
      move_arrivals(priority, queues.line);
      found = queues.line.try_take_oldest(item);
      if (!queues.line.looks_empty()) classes_.insert_shared(priority);
    }
    if (queues.line.looks_empty()) forget_if_empty(priority);
    return found;
  }
  /// Takes the oldest of a class that a worker has looked for before, if it is a part of `run`.
  [[nodiscard]] bool try_take_of(const void* run, std::size_t priority, DequeItem& item) {
    return queues_[priority].line.steal_of(run, item);
  }

  /// The classes of which something may wait.
  [[nodiscard]] const ClassSet<Atomics>& classes() const { return classes_; }
  /// Whose the oldest item is, as a hint; null where no worker has looked for it yet.
  [[nodiscard]] const void* peek_oldest(std::size_t priority) const {
    return queues_[priority].line.peek_oldest();
  }
  /// How many wait, as a hint; jobs that no worker has looked for yet do not count.
  [[nodiscard]] std::int64_t size_hint() const {
    std::int64_t count = arrival_count_.load(std::memory_order_relaxed);
    for (const Queues& queues : queues_)
      count += static_cast<std::int64_t>(queues.line.size_hint());
    return count;
  }

 private:
  static constexpr auto kJobClass = static_cast<std::size_t>(Priority::kNormal);

  struct Queues {
    explicit Queues(std::size_t line_capacity) : line(line_capacity) {}
    loop::Inbox<Atomics> arrivals;
    StealDeque<Atomics> line;
    Lock mutex;  // makes its holder the owner of `line`, who may push; anyone may steal
  };

  /// Moves all arrivals of a class to its line, whose mutex the caller holds.
  void move_arrivals(std::size_t priority, StealDeque<Atomics>& line) {
    std::int64_t count = 0;
    for (loop::InboxLink* link = queues_[priority].arrivals.take_all(); link != nullptr; ++count) {
      auto& entry = static_cast<QueueEntry&>(*link);
      link = link->next;  // the entry may be used again as soon as its item is out
      line.push({entry.run, entry.payload});
    }
    if (count != 0) arrival_count_.fetch_sub(count, std::memory_order_relaxed);
    if (priority != kJobClass) return;
    for (loop::InboxLink* link = jobs_.take_all(); link != nullptr;) {
      auto& job = static_cast<loop::Job&>(*link);
      link = link->next;
      line.push({&job, kJobPayload});
    }
  }
  void forget_if_empty(std::size_t priority) {
    classes_.remove_shared(priority);
    const Queues& queues = queues_[priority];
    const bool has_jobs = priority == kJobClass && !jobs_.looks_empty();
    if (has_jobs || !queues.arrivals.looks_empty() || !queues.line.looks_empty())
      classes_.insert_shared(priority);
  }

  alignas(base::kApartBytes) ClassSet<Atomics> classes_;  // see the invariant
  std::array<Queues, kPriorityCount> queues_;
  loop::Inbox<Atomics> jobs_;
  std::atomic<std::int64_t> arrival_count_{0};  // of entries; publishes nothing
};

}  // namespace millrace::runtime
