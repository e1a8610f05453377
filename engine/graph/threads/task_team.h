#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"

namespace millrace::graph {

/// The threads that run the tasks of a graph in wall time, oldest task first. They are no workers
/// of the scheduler, because a task may wait for a server or for a plan. Threads start with the
/// first task.
/// Threading: any thread posts; one thread stops and destroys it.
class TaskTeam {
 public:
  explicit TaskTeam(std::size_t worker_count) : worker_count_(worker_count) {}
  ~TaskTeam();
  TaskTeam(const TaskTeam&) = delete;
  TaskTeam& operator=(const TaskTeam&) = delete;

  /// Runs the work soon, unless the team stops before.
  void post(std::function<void()> work) MR_EXCLUDES(mutex_);
  /// Drops what has not begun and waits for the rest. Nothing posted later runs.
  void stop() MR_EXCLUDES(mutex_);
  /// Whether work should end soon.
  [[nodiscard]] bool is_stopping() const { return is_stopping_.load(std::memory_order_relaxed); }
  /// Waits that long, or until the team stops.
  void rest(base::Duration duration) MR_EXCLUDES(mutex_);

 private:
  void run() MR_EXCLUDES(mutex_);

  const std::size_t worker_count_;
  // A hint to work in progress; publishes nothing. Written under the mutex.
  std::atomic<bool> is_stopping_{false};
  base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> waiting_ MR_GUARDED_BY(mutex_);
  std::size_t idle_count_ MR_GUARDED_BY(mutex_) = 0;
  std::vector<std::thread> threads_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::graph
