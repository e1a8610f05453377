#include <atomic>
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "alarm.h"
#include "expectations.h"
#include "explorer.h"
#include "memory.h"
#include "model_atomics.h"
#include "planted_bugs.h"
#include "runtime/protocols/credit.h"
#include "runtime/protocols/run_watch.h"
#include "spin_lock.h"

namespace millrace::model {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// A run of two nodes with timeouts, due at 10 and at `kSecond`. Thread 0 runs the first, whose
// alarm stays, begins the second and, if `kEnds`, ends it and the work; thread 1 is the loop, on
// which the alarm may go off at any time. A node that runs is always watched, and nothing touches
// the run once it is over.
template <class Atomics, int kSecond, bool kEnds>
class WatchedRun : public Scenario {
 public:
  WatchedRun() : Scenario(2, Fences::kHeavy) { account_.open(); }

  void run(std::size_t thread) override {
    if (thread == 1) {
      if (alarm_.disarm()) go_off();
      return;
    }
    begin(0, 10);
    running_[0].store(false, std::memory_order_release);
    begin(1, kSecond);
    if (!kEnds) return;
    running_[1].store(false, std::memory_order_release);
    if (account_.give_back(Account::kFull)) finish_work();
  }
  void finish() override {
    require(finish_count_ == (kEnds ? 1 : 0), "The work ends exactly once");
    if (kEnds) return;
    require(alarm_.disarm(), "A node that runs is watched");
    require(watch_.time() <= kSecond, "The alarm goes off in time");
  }

 private:
  using Account = runtime::CreditAccount<Atomics>;

  void begin(std::size_t node, std::int64_t due) {
    due_[node].store(due, kRelaxed);
    running_[node].store(true, std::memory_order_release);
    Atomics::light_fence();
    if (due < watch_.time()) watch_.set_before(due, alarm_);
  }
  void go_off() {
    require_storage();
    typename Account::Credit held = 0;
    if (!account_.try_join(held)) return watch_.leave();
    watch_.go_off();
    std::int64_t next = Watch::kNever;
    for (std::size_t node = 0; node < 2; ++node) {
      if (!running_[node].load(std::memory_order_acquire)) continue;
      const std::int64_t due = due_[node].load(kRelaxed);
      if (due < next) next = due;
    }
    if (next < watch_.time()) watch_.set_before(next, alarm_);
    if (account_.give_back(held)) finish_work();
  }
  void finish_work() {
    ++finish_count_;
    watch_.close(alarm_);
    freed_.set(1);  // a race with whoever still looks
  }
  void require_storage() { static_cast<void>(freed_.get()); }

  using Watch = runtime::RunWatch<Atomics, SpinLock<Atomics>>;
  Account account_;
  Watch watch_;
  Alarm<Atomics> alarm_;
  typename Atomics::template Atomic<bool> running_[2];
  typename Atomics::template Atomic<std::int64_t> due_[2];
  Cell<int> freed_{0};
  int finish_count_ = 0;
};

// Partial orders of stores are too many here: beside the alarm there are a lock and an account.
constexpr Options kOptions{.store_order = StoreOrder::kTotal, .spurious_max = 0};

TEST(RunWatchModelTest, C3_ANodeThatRunsIsWatched) {
  expect_holds<WatchedRun<ModelAtomics, 5, false>>(kOptions);
  expect_holds<WatchedRun<ModelAtomics, 20, false>>(kOptions);
}

TEST(RunWatchModelTest, C2_TheRunOutlivesItsAlarm) {
  expect_holds<WatchedRun<ModelAtomics, 5, true>>(kOptions);
  expect_holds<WatchedRun<ModelAtomics, 20, true>>(kOptions);
}

TEST(RunWatchModelTest, PlantedMissingHeavyFenceIsCaught) {
  const Report report = explore_all<WatchedRun<NoHeavyFence, 20, false>>(kOptions);
  EXPECT_TRUE(report.failure.has_value());
}

TEST(RunWatchModelTest, PlantedMissingAcquireIsCaught) {
  const Report report = explore_all<WatchedRun<NoAcquire, 20, true>>(kOptions);
  EXPECT_TRUE(report.failure.has_value());
}

TEST(RunWatchModelTest, PlantedMissingReleaseIsCaught) {
  const Report report = explore_all<WatchedRun<NoRelease, 20, true>>(kOptions);
  EXPECT_TRUE(report.failure.has_value());
}

}  // namespace
}  // namespace millrace::model
