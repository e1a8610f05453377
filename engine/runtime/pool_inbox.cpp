#include "runtime/pool_inbox.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/sync/mutex.h"
#include "loop/executor.h"
#include "loop/inbox.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {

void PoolInbox::push(QueueEntry& entry, Priority priority) {
  const auto index = static_cast<std::size_t>(priority);
  arrival_count_.fetch_add(1, std::memory_order_relaxed);
  queues_[index].arrivals.push(entry);
  classes_.insert_shared(index);
}

void PoolInbox::push(loop::Job& job) {
  jobs_.push(job);
  classes_.insert_shared(static_cast<std::size_t>(Priority::kNormal));
}

void PoolInbox::push_strand(const DequeItem& item, std::size_t priority) {
  {
    Queues& queues = queues_[priority];
    base::MutexLock lock(queues.mutex);
    move_arrivals(priority, queues.line);
    queues.line.push(item);
  }
  classes_.insert_shared(priority);
}

bool PoolInbox::try_take(std::size_t priority, DequeItem& item) {
  if (!classes_.has(priority)) return false;
  Queues& queues = queues_[priority];
  StealResult result = StealResult::kLost;
  while (result == StealResult::kLost) result = queues.line.steal(item);
  bool found = result == StealResult::kTaken;
  if (!found) {
    base::MutexLock lock(queues.mutex);
    move_arrivals(priority, queues.line);
    found = queues.line.try_take_oldest(item);
  }
  if (queues.line.looks_empty()) forget_if_empty(priority);
  return found;
}

void PoolInbox::forget_if_empty(std::size_t priority) {
  classes_.remove_shared(priority);
  const Queues& queues = queues_[priority];
  const bool has_jobs =
      priority == static_cast<std::size_t>(Priority::kNormal) && !jobs_.looks_empty();
  if (has_jobs || !queues.arrivals.looks_empty() || !queues.line.looks_empty())
    classes_.insert_shared(priority);
}

void PoolInbox::move_arrivals(std::size_t priority, StealDeque<>& line) {
  std::int64_t count = 0;
  for (loop::InboxLink* link = queues_[priority].arrivals.take_all(); link != nullptr; ++count) {
    auto& entry = static_cast<QueueEntry&>(*link);
    link = link->next;  // the entry may be used again as soon as its item is out
    line.push({entry.run, entry.payload});
  }
  if (count != 0) arrival_count_.fetch_sub(count, std::memory_order_relaxed);
  if (priority != static_cast<std::size_t>(Priority::kNormal)) return;
  for (loop::InboxLink* link = jobs_.take_all(); link != nullptr;) {
    auto& job = static_cast<loop::Job&>(*link);
    link = link->next;
    line.push({&job, kJobPayload});
  }
}

std::int64_t PoolInbox::size_hint() const {
  std::int64_t count = arrival_count_.load(std::memory_order_relaxed);
  for (const Queues& queues : queues_) count += static_cast<std::int64_t>(queues.line.size_hint());
  return count;
}

}  // namespace millrace::runtime
