#include "graph/threads/task_team.h"

#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/sync/mutex.h"

namespace millrace::graph {

TaskTeam::~TaskTeam() { stop(); }

void TaskTeam::post(std::function<void()> work) {
  const base::MutexLock lock(mutex_);
  if (is_stopping()) return;
  waiting_.push_back(std::move(work));
  if (waiting_.size() > idle_count_ && threads_.size() < worker_count_) {
    threads_.emplace_back([this] { run(); });
  }
  changed_.notify_all();
}

void TaskTeam::stop() {
  std::vector<std::thread> threads;
  std::deque<std::function<void()>> dropped;
  {
    const base::MutexLock lock(mutex_);
    is_stopping_.store(true, std::memory_order_relaxed);
    threads.swap(threads_);
    dropped.swap(waiting_);
    changed_.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
}

void TaskTeam::rest(base::Duration duration) {
  const base::TimePoint until = base::steady_clock().now() + duration;
  const base::MutexLock lock(mutex_);
  while (!is_stopping()) {
    const base::Duration left = until - base::steady_clock().now();
    if (left <= base::Duration::zero()) return;
    changed_.wait_for(mutex_, left);
  }
}

void TaskTeam::run() {
  while (true) {
    std::function<void()> work;
    {
      const base::MutexLock lock(mutex_);
      ++idle_count_;
      while (waiting_.empty() && !is_stopping()) changed_.wait(mutex_);
      --idle_count_;
      if (is_stopping()) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work();
  }
}

}  // namespace millrace::graph
