#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/sync/parking.h"
#include "expectations.h"
#include "explorer.h"
#include "memory.h"
#include "model_atomics.h"
#include "planted_bugs.h"
#include "runtime/steal_deque.h"

namespace millrace::model {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

enum class Recheck : std::uint8_t { kDone, kForgotten };

// Thread 0 sleeps until every producer's work is there; the others produce one piece each. After a
// lost wake-up the sleeper cannot continue, and the explorer reports that.
template <class Atomics, class Futex, std::size_t kProducerCount, Recheck kRecheck = Recheck::kDone>
class SleeperScenario : public Scenario {
 public:
  explicit SleeperScenario(std::optional<base::Duration> timeout = std::nullopt)
      : Scenario(1 + kProducerCount), timeout_(timeout) {}

  void run(std::size_t thread) override {
    if (thread == 0) {
      sleep_until_done();
    } else {
      produce(thread - 1);
    }
  }

  void finish() override {
    require(woken_by_count_[0] + woken_by_count_[1] == notified_count_,
            "One notifier counts each wake-up");
    require(!spot_.is_waiting(), "A sleeper that is awake does not look asleep");
    was_notified |= notified_count_ > 0;
    timed_out |= timed_out_count_ > 0;
  }

  // What has happened in some execution.
  static inline bool was_notified = false;
  static inline bool timed_out = false;

 private:
  [[nodiscard]] bool done() const {
    for (std::size_t producer = 0; producer < kProducerCount; ++producer) {
      if (work_[producer].load(kRelaxed) == 0) return false;
    }
    return true;
  }

  void sleep_until_done() {
    while (!done()) {
      spot_.announce();
      if (kRecheck == Recheck::kDone && done()) {
        if (!spot_.cancel()) ++notified_count_;
        return;
      }
      if (spot_.wait(timeout_)) {
        ++notified_count_;
      } else if (++timed_out_count_ == 2) {
        timeout_ = std::nullopt;  // A deadline may pass twice; sleep for good after that.
      }
    }
  }

  void produce(std::size_t producer) {
    work_[producer].store(1, kRelaxed);
    Atomics::fence_seq_cst();
    if (spot_.is_waiting() && spot_.notify()) ++woken_by_count_[producer];
  }

  using Flag = typename Atomics::template Atomic<int>;
  Flag work_[2] = {Flag{0}, Flag{0}};
  base::ParkingSpot<Atomics, Futex> spot_;
  std::optional<base::Duration> timeout_;
  // Records, each written by one thread.
  int timed_out_count_ = 0;
  int notified_count_ = 0;
  int woken_by_count_[2] = {0, 0};
};

template <class Atomics, class Futex = ModelFutex>
using OneProducer = SleeperScenario<Atomics, Futex, 1>;
template <class Atomics, class Futex = ModelFutex>
using TwoProducers = SleeperScenario<Atomics, Futex, 2>;

class Deadlines : public SleeperScenario<ModelAtomics, ModelFutex, 1> {
 public:
  Deadlines() : SleeperScenario(std::chrono::milliseconds(1)) {}
};

// Two notifiers compete for a sleeper that has announced that it will sleep.
template <class Atomics>
class TwoNotifiers : public Scenario {
 public:
  TwoNotifiers() : Scenario(3) { spot_.announce(); }

  void run(std::size_t thread) override {
    if (thread == 0) {
      notified_ = spot_.wait(std::nullopt);
    } else if (spot_.notify()) {
      ++sent_count_[thread - 1];
    }
  }
  void finish() override {
    require(notified_, "The sleeper was notified");
    require(sent_count_[0] + sent_count_[1] == 1, "Exactly one notifier succeeds");
  }

 private:
  base::ParkingSpot<Atomics, ModelFutex> spot_;
  bool notified_ = false;
  int sent_count_[2] = {0, 0};
};

// Data written before notify() is visible after a wait() or cancel() that received the
// notification.
template <class Atomics>
class Publication : public Scenario {
 public:
  Publication() : Scenario(2) {}

  void run(std::size_t thread) override {
    if (thread == 1) {
      data_.set(7);
      static_cast<void>(spot_.notify());
      return;
    }
    spot_.announce();
    if (!spot_.cancel()) check_data(by_cancel);
    spot_.announce();
    if (spot_.wait(std::chrono::milliseconds(1))) check_data(by_wait);
  }
  void finish() override {}

  // Whether this happened in some execution.
  static inline bool by_cancel = false;
  static inline bool by_wait = false;

 private:
  void check_data(bool& reached) {
    reached = true;
    require(data_.get() == 7, "Data comes with the notification");
  }

  base::ParkingSpot<Atomics, ModelFutex> spot_;
  Cell<int> data_{0};
};

// A worker pushes to its own deque and wakes a sleeping thief, which checks the deque before it
// sleeps.
template <class Atomics>
class SleepingThief : public Scenario {
 public:
  SleepingThief() : Scenario(2) {}

  void run(std::size_t thread) override {
    if (thread == 1) {
      deque_.push({.run = nullptr, .payload = 1});
      Atomics::fence_seq_cst();
      if (spot_.is_waiting()) spot_.notify();
      return;
    }
    runtime::DequeItem item;
    while (deque_.steal(item) != runtime::StealResult::kTaken) {
      spot_.announce();
      if (deque_.looks_empty()) {
        static_cast<void>(spot_.wait(std::nullopt));
      } else {
        static_cast<void>(spot_.cancel());
      }
    }
  }
  void finish() override { require(deque_.looks_empty(), "The thief took the item"); }

 private:
  runtime::StealDeque<Atomics> deque_{2};
  base::ParkingSpot<Atomics, ModelFutex> spot_;
};

// The producer uses a light fence; the sleeper uses a heavy one that covers both sides.
template <class Atomics>
class AsymmetricFences : public Scenario {
 public:
  AsymmetricFences() : Scenario(2, Fences::kHeavy) {}

  void run(std::size_t thread) override {
    if (thread == 1) {
      work_.store(1, kRelaxed);
      Atomics::light_fence();
      if (spot_.is_waiting()) spot_.notify();
      return;
    }
    while (work_.load(kRelaxed) == 0) {
      spot_.announce();
      Atomics::heavy_fence();
      if (work_.load(kRelaxed) == 0) {
        static_cast<void>(spot_.wait(std::nullopt));
      } else {
        static_cast<void>(spot_.cancel());
      }
    }
  }
  void finish() override { require(!spot_.is_waiting(), "The sleeper is awake"); }

 private:
  typename Atomics::template Atomic<int> work_{0};
  base::ParkingSpot<Atomics, ModelFutex> spot_;
};

TEST(ParkingModelTest, P6_NoWakeUpIsLostWithAsymmetricFences) {
  expect_holds<AsymmetricFences<ModelAtomics>>();
  expect_caught<AsymmetricFences<NoHeavyFence>>(StoreOrder::kTotal, "No thread can go on");
}

TEST(ParkingModelTest, P6_NoWakeUpIsLost) {
  expect_holds<OneProducer<ModelAtomics>>();
  expect_holds<TwoProducers<ModelAtomics>>({.spurious_max = 0});
}

TEST(ParkingModelTest, TimeoutRetractsAndLosesNothing) {
  expect_holds<Deadlines>();
  EXPECT_TRUE(Deadlines::timed_out);
  EXPECT_TRUE(Deadlines::was_notified);
}

TEST(ParkingModelTest, OneNotifierWins) { expect_holds<TwoNotifiers<ModelAtomics>>(); }

TEST(ParkingModelTest, NotificationPublishes) {
  expect_holds<Publication<ModelAtomics>>();
  EXPECT_TRUE(Publication<ModelAtomics>::by_cancel);
  EXPECT_TRUE(Publication<ModelAtomics>::by_wait);
}

TEST(ParkingModelTest, P6_SleepingThiefFindsWork) { expect_holds<SleepingThief<ModelAtomics>>(); }

TEST(ParkingModelTest, PlantedMissingFenceIsCaught) {
  expect_caught<OneProducer<NoFences>>(StoreOrder::kTotal, "No thread can go on");
  expect_caught<SleepingThief<NoFences>>(StoreOrder::kTotal, "No thread can go on");
}

TEST(ParkingModelTest, PlantedForgottenRecheckIsCaught) {
  using Forgetful = SleeperScenario<ModelAtomics, ModelFutex, 1, Recheck::kForgotten>;
  expect_caught<Forgetful>(StoreOrder::kSequential, "No thread can go on");
}

TEST(ParkingModelTest, PlantedTornUpdatesAreCaught) {
  expect_caught<OneProducer<TornUpdates>>(StoreOrder::kSequential, "No thread can go on");
  expect_caught<TwoNotifiers<TornUpdates>>(StoreOrder::kSequential, "Exactly one notifier");
}

TEST(ParkingModelTest, PlantedHastyFutexIsCaught) {
  expect_caught<OneProducer<ModelAtomics, HastyFutex>>(StoreOrder::kSequential,
                                                       "No thread can go on");
}

TEST(ParkingModelTest, PlantedMissingReleaseOrAcquireIsCaught) {
  // The fence in notify() is a release too, so both must be removed.
  using NeitherReleaseNorFence = WeakerOrders<planted_detail::without_release, NoFences>;
  expect_caught<Publication<NeitherReleaseNorFence>>(StoreOrder::kTotal, "Plain data is read");
  expect_caught<Publication<NoAcquire>>(StoreOrder::kTotal, "Plain data is read");
}

}  // namespace
}  // namespace millrace::model
