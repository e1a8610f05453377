#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/check.h"
#include "base/sync/asymmetric_fence.h"
#include "base/sync/planted_bug.h"
#include "loop/executor.h"
#include "loop/inbox.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/node.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

// What comes from outside: runs that threads submit, nodes that loops hand over, jobs.

namespace millrace::runtime {

void WorkerPool::submit_from_outside(Run& run) {
  const auto priority = static_cast<std::size_t>(run.options_.priority);
  run.entry_.run = &run;
  run.entry_.payload = Worker::pack(kNoNode, static_cast<std::uint32_t>(Run::kFullCredit));
  inbox_count_.fetch_add(1, std::memory_order_relaxed);
  inboxes_[priority].push(run.entry_);
  inbox_classes_.insert_shared(priority);
  announce_work();
}

void WorkerPool::submit_nodes(Run& run, std::uint32_t head, bool is_chain, std::uint32_t credit) {
  const auto priority = static_cast<std::size_t>(run.class_of(head));
  QueueEntry& entry = run.extras_->entry(head);
  entry.run = &run;
  entry.payload = Worker::pack(is_chain ? head | Worker::kChainBit : head, credit);
  inbox_count_.fetch_add(1, std::memory_order_relaxed);
  inboxes_[priority].push(entry);
  inbox_classes_.insert_shared(priority);
  announce_work();
}

void WorkerPool::announce_work() {
  if (MR_PLANTED(kLostWakeUp)) return;
  // insert_shared was a full fence.
  if (has_parked() && searching_count() <= 0) wake_one(nullptr);
}

void WorkerPool::post(loop::Job& job) {
  jobs_.push(job);
  inbox_classes_.insert_shared(static_cast<std::size_t>(Priority::kNormal));
  announce_work();
}

bool WorkerPool::fetch_inbox(Worker& worker, std::uint32_t priority) {
  if (!inbox_classes_.has(priority)) return false;
  inbox_classes_.remove_shared(priority);
  std::int64_t count = 0;
  loop::InboxLink* link = inboxes_[priority].take_all();
  while (link != nullptr) {
    auto& entry = static_cast<QueueEntry&>(*link);
    link = link->next;  // the entry may be used again as soon as its item is out
    worker.runs_[priority].push({entry.run, entry.payload});
    ++count;
  }
  bool found = count != 0;
  if (found) inbox_count_.fetch_sub(count, std::memory_order_relaxed);
  if (priority == static_cast<std::uint32_t>(Priority::kNormal)) {
    for (link = jobs_.take_all(); link != nullptr; found = true) {
      auto& job = static_cast<loop::Job&>(*link);
      link = link->next;
      worker.runs_[priority].push({&job, Worker::kJobPayload});
    }
  }
  if (!found) return false;
  worker.run_classes_.insert(priority);
  // One of them is for this worker; the others are for whoever sleeps (D7).
  base::light_fence();
  if (has_parked() && worker.runs_[priority].size_hint() > 1) consider_wake(worker, UINT64_MAX);
  return true;
}

void WorkerPool::finish_jobs() {
  // Whoever posted a job counts on it: a coroutine that waits for its turn here would never be
  // destroyed. Jobs that these post in turn are done as well.
  loop::InboxLink* posted = nullptr;
  bool found = true;
  while (found) {
    found = false;
    for (const std::unique_ptr<Worker>& worker : worker_storage_) {
      DequeItem item;
      if (worker == nullptr) continue;
      StealDeque<>& queue = worker->runs_[static_cast<std::size_t>(Priority::kNormal)];
      while (queue.try_take_oldest(item)) {
        MR_CHECK(item.payload == Worker::kJobPayload);  // all runs were released before
        loop::Job& job = *static_cast<loop::Job*>(item.run);
        job.run(job);
        found = true;
      }
    }
    for (posted = jobs_.take_all(); posted != nullptr; found = true) {
      auto& job = static_cast<loop::Job&>(*posted);
      posted = posted->next;
      job.run(job);
    }
  }
}

}  // namespace millrace::runtime
