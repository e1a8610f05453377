#pragma once

#include <condition_variable>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"

namespace millrace::server {

/// Destroys what nobody uses any more on a thread of its own: plans wait for bodies that still run,
/// and clients for their loop, which neither a loop nor a reload should.
/// Threading: `take` from any thread; made and destroyed by one thread.
class Retirement {
 public:
  Retirement() : thread_([this] { run(); }) {}
  /// Waits until all is destroyed.
  ~Retirement() {
    {
      const base::MutexLock lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Retirement(const Retirement&) = delete;
  Retirement& operator=(const Retirement&) = delete;

  void take(std::shared_ptr<void> object) MR_EXCLUDES(mutex_) {
    {
      const base::MutexLock lock(mutex_);
      objects_.push_back(std::move(object));
    }
    changed_.notify_one();
  }

 private:
  void run() MR_EXCLUDES(mutex_) {
    while (true) {
      std::vector<std::shared_ptr<void>> taken;
      {
        const base::MutexLock lock(mutex_);
        while (objects_.empty() && !is_ending_) changed_.wait(mutex_);
        if (objects_.empty()) return;
        taken.swap(objects_);
      }
      destroy(std::move(taken));
    }
  }
  /// A thread keeps the blocks that it releases for those that it takes next (`base::BlockPool`).
  /// This one takes none, so it would hoard what the loops have taken, reload after reload; a
  /// thread that ends gives all of it back.
  static void destroy(std::vector<std::shared_ptr<void>> objects) {
    try {
      std::thread([&objects] { objects.clear(); }).join();
    } catch (const std::system_error&) {
      objects.clear();  // no other thread is to be had
    }
  }

  base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::shared_ptr<void>> objects_ MR_GUARDED_BY(mutex_);
  bool is_ending_ MR_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace millrace::server
