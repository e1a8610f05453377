#include "runtime/pool_inbox.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "loop/executor.h"
#include "loop/inbox.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {

void PoolInbox::push(QueueEntry& entry, Priority priority) {
  const auto index = static_cast<std::size_t>(priority);
  entry_count_.fetch_add(1, std::memory_order_relaxed);
  inboxes_[index].push(entry);
  classes_.insert_shared(index);
}

void PoolInbox::push(loop::Job& job) {
  jobs_.push(job);
  classes_.insert_shared(static_cast<std::size_t>(Priority::kNormal));
}

bool PoolInbox::fetch(std::uint32_t priority, StealDeque<>& deque) {
  if (!classes_.has(priority)) return false;
  classes_.remove_shared(priority);
  std::int64_t count = 0;
  loop::InboxLink* link = inboxes_[priority].take_all();
  while (link != nullptr) {
    auto& entry = static_cast<QueueEntry&>(*link);
    link = link->next;  // the entry may be used again as soon as its item is out
    deque.push({entry.run, entry.payload});
    ++count;
  }
  bool found = count != 0;
  if (found) entry_count_.fetch_sub(count, std::memory_order_relaxed);
  if (priority != static_cast<std::uint32_t>(Priority::kNormal)) return found;
  for (link = take_jobs(); link != nullptr; found = true) {
    auto& job = static_cast<loop::Job&>(*link);
    link = link->next;
    deque.push({&job, kJobPayload});
  }
  return found;
}

}  // namespace millrace::runtime
