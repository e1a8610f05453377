#include "base/sync/mutex.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/sync/thread_annotations.h"

namespace millrace::base {
namespace {

class Counter {
 public:
  void add() {
    const MutexLock lock(mutex_);
    ++count_;
  }
  [[nodiscard]] int count() {
    const MutexLock lock(mutex_);
    return count_;
  }

 private:
  Mutex mutex_;
  int count_ MR_GUARDED_BY(mutex_) = 0;
};

TEST(MutexTest, ExcludesOtherThreads) {
  constexpr int kThreadCount = 4;
  constexpr int kAddCount = 2000;
  Counter counter;
  std::vector<std::jthread> threads;
  threads.reserve(kThreadCount);
  for (int thread = 0; thread < kThreadCount; ++thread) {
    threads.emplace_back([&counter] {
      for (int add = 0; add < kAddCount; ++add) counter.add();
    });
  }
  threads.clear();
  EXPECT_EQ(counter.count(), kThreadCount * kAddCount);
}

/// Tries from another thread, because a thread may not try a mutex it holds.
bool try_elsewhere(Mutex& mutex) {
  bool taken = false;
  std::jthread([&mutex, &taken] {
    if (mutex.try_lock()) {
      taken = true;
      mutex.unlock();
    }
  }).join();
  return taken;
}

TEST(MutexTest, TryLockTellsWhetherItIsHeld) {
  Mutex mutex;
  EXPECT_TRUE(try_elsewhere(mutex));
  {
    const MutexLock lock(mutex);
    EXPECT_FALSE(try_elsewhere(mutex));
  }
  EXPECT_TRUE(try_elsewhere(mutex));
}

}  // namespace
}  // namespace millrace::base
