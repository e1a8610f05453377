#include "base/sync/spin_mutex.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/sync/thread_annotations.h"

namespace millrace::base {
namespace {

class Tally {
 public:
  void add() {
    const SpinLock lock(mutex_);
    ++count_;
  }
  [[nodiscard]] int count() {
    const SpinLock lock(mutex_);
    return count_;
  }

 private:
  SpinMutex mutex_;
  int count_ MR_GUARDED_BY(mutex_) = 0;
};

TEST(SpinMutexTest, ExcludesOtherThreads) {
  constexpr int kThreadCount = 4;
  constexpr int kAddCount = 2000;
  Tally tally;
  std::vector<std::jthread> threads;
  threads.reserve(kThreadCount);
  for (int thread = 0; thread < kThreadCount; ++thread) {
    threads.emplace_back([&tally] {
      for (int add = 0; add < kAddCount; ++add) tally.add();
    });
  }
  threads.clear();
  EXPECT_EQ(tally.count(), kThreadCount * kAddCount);
}

// The holder does not run while the other waits: who waits must not need more than a turn.
TEST(SpinMutexTest, WaitsForAHolderThatIsAway) {
  SpinMutex mutex;
  int written = 0;
  mutex.lock();
  std::jthread other([&] {
    const SpinLock lock(mutex);
    ++written;
  });
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  written = 1;
  mutex.unlock();
  other.join();
  EXPECT_EQ(written, 2);
}

}  // namespace
}  // namespace millrace::base
