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
#include "runtime/protocols/standing_alarm.h"
#include "spin_lock.h"

namespace millrace::model {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// A run object that is used twice. The alarm of the first use, set for 10, still stands when
// thread 0 begins the second, whose deadline is `kSecond`; if `kEnds`, it ends it, too, and takes
// the object down. Thread 1 is the loop, on which the alarm may go off at any time. A use that is
// under way is always watched, and nothing touches the object once it is gone.
template <class Atomics, int kSecond, bool kEnds>
class UsedTwice : public Scenario {
 public:
  UsedTwice() : Scenario(2, Fences::kHeavy) { watch(10); }

  void run(std::size_t thread) override {
    if (thread == 1) {
      if (timer_.disarm()) go_off();
      return;
    }
    deadline_.set(kSecond);
    references_.store(1, std::memory_order_release);
    watch(kSecond);
    if (!kEnds) return;
    drop_reference();
    while (references_.load(std::memory_order_acquire) != 0) Atomics::yield();
    alarm_.close(timer_);
    storage_.set(1);  // a race with whoever still looks
  }
  void finish() override {
    if (kEnds) return;
    require(references_.load(kRelaxed) == 1, "Nobody holds what nobody uses");
    require(timer_.disarm(), "A use is watched");
    require(timer_.time() <= kSecond, "The alarm goes off in time");
  }

 private:
  void watch(std::int64_t when) {
    if (!alarm_.goes_off_by(when)) alarm_.set_by(when, timer_);
  }
  void go_off() {
    static_cast<void>(storage_.get());
    alarm_.go_off();
    if (!try_hold()) return alarm_.leave();
    watch(deadline_.get());
    static_cast<void>(storage_.get());
    alarm_.leave();
    drop_reference();
  }
  [[nodiscard]] bool try_hold() {
    std::uint32_t count = references_.load(kRelaxed);
    return count != 0 && references_.compare_exchange_strong(
                             count, count + 1, std::memory_order_acq_rel, kRelaxed);
  }
  void drop_reference() { references_.fetch_sub(1, std::memory_order_acq_rel); }

  runtime::StandingAlarm<Atomics, SpinLock<Atomics>> alarm_;
  Alarm<Atomics> timer_;
  typename Atomics::template Atomic<std::uint32_t> references_{0};
  Cell<std::int64_t> deadline_{0};
  Cell<int> storage_{0};
};

/// The timer of a loop that goes as soon as it has dropped what was set.
template <class Atomics>
class MortalAlarm {
 public:
  void arm(std::int64_t /*when_ns*/) { armed_.store(true, std::memory_order_release); }
  [[nodiscard]] bool disarm() {
    static_cast<void>(loop_.get());
    return armed_.exchange(false, std::memory_order_acq_rel);
  }
  [[nodiscard]] bool drop() { return armed_.exchange(false, std::memory_order_acq_rel); }
  void destroy_loop() { loop_.set(1); }

 private:
  typename Atomics::template Atomic<bool> armed_{false};
  Cell<int> loop_{0};
};

// Nobody uses the object. Thread 1 is the loop, which stops, drops its timers and goes; thread 0
// takes the object down or moves it to another loop.
template <class Atomics>
class LoopGoes : public Scenario {
 public:
  LoopGoes() : Scenario(2, Fences::kHeavy) {
    if (!alarm_.goes_off_by(10)) alarm_.set_by(10, timer_);
  }

  void run(std::size_t thread) override {
    if (thread == 0) return alarm_.close(timer_);
    if (timer_.drop()) {
      alarm_.go_off();
      alarm_.leave();
    }
    timer_.destroy_loop();
  }
  void finish() override {}

 private:
  runtime::StandingAlarm<Atomics, SpinLock<Atomics>> alarm_;
  MortalAlarm<Atomics> timer_;
};

// Partial orders of stores are too many here: beside the alarm there is a lock.
constexpr Options kOptions{.store_order = StoreOrder::kTotal, .spurious_max = 0};

TEST(StandingAlarmModelTest, C1_AUseIsAlwaysWatched) {
  expect_holds<UsedTwice<ModelAtomics, 5, false>>(kOptions);
  expect_holds<UsedTwice<ModelAtomics, 20, false>>(kOptions);
}

TEST(StandingAlarmModelTest, C2_TheRunOutlivesItsAlarm) {
  expect_holds<UsedTwice<ModelAtomics, 5, true>>(kOptions);
  expect_holds<UsedTwice<ModelAtomics, 20, true>>(kOptions);
}

TEST(StandingAlarmModelTest, ALoopThatHasDroppedTheAlarmIsNotTouched) {
  expect_holds<LoopGoes<ModelAtomics>>(kOptions);
}

TEST(StandingAlarmModelTest, PlantedMissingHeavyFenceIsCaught) {
  const Report report = explore_all<UsedTwice<NoHeavyFence, 20, false>>(kOptions);
  EXPECT_TRUE(report.failure.has_value());
}

TEST(StandingAlarmModelTest, PlantedMissingAcquireIsCaught) {
  const Report report = explore_all<UsedTwice<NoAcquire, 20, true>>(kOptions);
  EXPECT_TRUE(report.failure.has_value());
}

TEST(StandingAlarmModelTest, PlantedMissingReleaseIsCaught) {
  const Report report = explore_all<UsedTwice<NoRelease, 20, true>>(kOptions);
  EXPECT_TRUE(report.failure.has_value());
}

}  // namespace
}  // namespace millrace::model
