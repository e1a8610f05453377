#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "base/sync/parking.h"
#include "execution.h"
#include "expectations.h"
#include "explorer.h"
#include "memory.h"
#include "model_atomics.h"
#include "planted_bugs.h"
#include "runtime/pool_inbox.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/node.h"
#include "spin_lock.h"

namespace millrace::model {
namespace {

constexpr auto kClass = static_cast<std::size_t>(runtime::Priority::kHigh);

/// Once a class was removed, some threads insert nothing again: whoever removed it, or all others.
template <bool kRemoverForgets>
struct NoInsertion : ModelAtomics {
  template <class T>
  struct Atomic : ModelAtomic<T> {
    using ModelAtomic<T>::ModelAtomic;

    T fetch_or(T value, std::memory_order order) {
      const bool is_remover = remover_ == Execution::current().running_thread();
      if (remover_.has_value() && is_remover == kRemoverForgets)
        return this->load(std::memory_order_relaxed);
      return ModelAtomic<T>::fetch_or(value, order);
    }
    T fetch_and(T value, std::memory_order order) {
      remover_ = Execution::current().running_thread();
      return ModelAtomic<T>::fetch_and(value, order);
    }

   private:
    std::optional<std::size_t> remover_;
  };
};

/// Whoever removes a class does not look at the queues afterwards.
using NoSecondLook = NoInsertion<true>;
/// Whoever moves a batch leaves what stays of it where nobody looks.
using NoLookAfterABatch = NoInsertion<false>;

// What lies in an inbox of one class, and who took it.
template <class Atomics, std::size_t kItems = 2>
class InboxScenario : public Scenario {
 public:
  explicit InboxScenario(std::size_t thread_count)
      : Scenario(thread_count, Fences::kHeavy), inbox_(2) {
    for (std::size_t number = 0; number < kItemCount; ++number) entries_[number].payload = number;
  }

 protected:
  static constexpr std::size_t kItemCount = kItems;

  void push(std::size_t number) { inbox_.push(entries_[number], runtime::Priority::kHigh); }
  /// Puts it into the line at once.
  void push_strand(std::size_t number) {
    inbox_.push_strand({.run = nullptr, .payload = number}, kClass);
  }
  [[nodiscard]] bool try_take() {
    runtime::DequeItem item;
    if (!inbox_.try_take(kClass, item)) return false;
    ++taken_[item.payload];
    return true;
  }
  /// What lies here is seen: everything that was pushed can still be taken, once.
  void require_all_are_taken_once() {
    while (inbox_.classes().has(kClass)) static_cast<void>(try_take());
    for (const int count : taken_) require(count == 1, "What waits is in the classes");
  }

  runtime::PoolInbox<Atomics, SpinLock<Atomics>> inbox_;

 private:
  std::array<runtime::QueueEntry, kItemCount> entries_;
  std::array<int, kItemCount> taken_{};
};

// One thread pushes while another takes.
template <class Atomics>
class PushAndTake : public InboxScenario<Atomics> {
 public:
  PushAndTake() : InboxScenario<Atomics>(2) { this->push(0); }

  void run(std::size_t thread) override {
    if (thread == 0) return this->push(1);
    for (int time = 0; time < 2; ++time) static_cast<void>(this->try_take());
  }
  void finish() override { this->require_all_are_taken_once(); }
};

// Two threads take at the same time; one of them moves the arrivals to the line.
template <class Atomics>
class TwoTakers : public InboxScenario<Atomics> {
 public:
  TwoTakers() : InboxScenario<Atomics>(2) {
    this->push(0);
    this->push(1);
  }

  void run(std::size_t /*thread*/) override { static_cast<void>(this->try_take()); }
  void finish() override { this->require_all_are_taken_once(); }
};

// One thread takes the last of the line and removes the class, while the other moves two arrivals
// there: one of them stays behind.
template <class Atomics>
class TakeWhileABatchMoves : public InboxScenario<Atomics, 3> {
 public:
  TakeWhileABatchMoves() : InboxScenario<Atomics, 3>(2) {
    this->push_strand(0);
    this->push(1);
    this->push(2);
  }

  void run(std::size_t /*thread*/) override { static_cast<void>(this->try_take()); }
  void finish() override { this->require_all_are_taken_once(); }
};

// Thread 1 takes everything and sleeps as long as it sees no class. After a lost wake-up it sleeps
// for ever, and the explorer reports that.
template <class Atomics>
class PushAndSleep : public InboxScenario<Atomics> {
 public:
  PushAndSleep() : InboxScenario<Atomics>(2) { this->push(0); }

  void run(std::size_t thread) override {
    if (thread == 0) {
      this->push(1);
      if (spot_.is_waiting()) static_cast<void>(spot_.notify());
      return;
    }
    for (std::size_t left = this->kItemCount; left != 0;) {
      if (this->try_take()) {
        --left;
      } else {
        sleep();
      }
    }
  }
  void finish() override { this->require_all_are_taken_once(); }

 private:
  void sleep() {
    spot_.announce();
    Atomics::heavy_fence();
    static_cast<void>(this->inbox_.classes().any() ? spot_.cancel() : spot_.wait(std::nullopt));
  }

  base::ParkingSpot<Atomics, ModelFutex> spot_;
};

TEST(PoolInboxModelTest, D10_WhatIsPushedIsSeenAndTakenOnce) {
  expect_holds<PushAndTake<ModelAtomics>>();
  expect_holds<TwoTakers<ModelAtomics>>();
}

TEST(PoolInboxModelTest, D10_WhatStaysOfABatchIsSeen) {
  expect_holds<TakeWhileABatchMoves<ModelAtomics>>();
}

TEST(PoolInboxModelTest, D10_NoWakeUpIsLostWhenAClassIsRemoved) {
  expect_holds<PushAndSleep<ModelAtomics>>();
}

TEST(PoolInboxModelTest, PlantedTornRemovalIsCaught) {
  expect_caught<PushAndTake<TornRemoval>>(StoreOrder::kTotal, "What waits is in the classes");
}

TEST(PoolInboxModelTest, PlantedRemovalWithoutASecondLookIsCaught) {
  expect_caught<PushAndTake<NoSecondLook>>(StoreOrder::kTotal, "What waits is in the classes");
}

TEST(PoolInboxModelTest, PlantedBatchWithoutItsClassIsCaught) {
  expect_caught<TakeWhileABatchMoves<NoLookAfterABatch>>(StoreOrder::kTotal,
                                                         "What waits is in the classes");
}

}  // namespace
}  // namespace millrace::model
