#include <array>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "expectations.h"
#include "explorer.h"
#include "memory.h"
#include "model_atomics.h"
#include "planted_bugs.h"
#include "runtime/steal_deque.h"

namespace millrace::model {
namespace {

using runtime::DequeItem;
using runtime::StealResult;

// Records what happens to a deque that thread 0 owns and the others steal from. Items are numbered
// in the order in which they are pushed; each points to plain data that the pusher writes and the
// taker reads.
template <class Atomics>
class DequeScenario : public Scenario {
 public:
  DequeScenario(std::size_t thread_count, std::size_t capacity)
      : Scenario(thread_count), capacity_(capacity), deque_(capacity) {}

  // What has happened in some execution.
  struct Reached {
    bool pop_of_item = false;
    bool pop_of_nothing = false;
    bool steal[3] = {false, false, false};
    bool steal_after_growth = false;
  };
  static inline Reached reached;

  void finish() override {
    std::vector<std::size_t> left_over;
    DequeItem item;
    while (deque_.try_pop(item)) left_over.push_back(take(item));
    for (std::size_t number = 0; number < pushed_count_; ++number) {
      require(taken_count_[number] == 1, "Every item is taken once");
    }
    for (const std::size_t older : left_over) {
      for (const std::size_t stolen : stolen_) require(stolen < older, "Thieves take the oldest");
    }
  }

 protected:
  void push() {
    const std::size_t number = pushed_count_++;
    data_[number].set(number + 100);
    deque_.push({.run = &data_[number], .payload = number});
  }

  // Returns false if there was nothing to pop.
  bool pop() {
    DequeItem item;
    const bool found = deque_.try_pop(item);
    (found ? reached.pop_of_item : reached.pop_of_nothing) = true;
    if (found) take(item);
    return found;
  }

  void steal() {
    DequeItem item;
    const StealResult result = deque_.steal(item);
    reached.steal[static_cast<std::size_t>(result)] = true;
    if (result != StealResult::kTaken) return;
    reached.steal_after_growth |= deque_.capacity() > capacity_;
    stolen_.push_back(take(item));
  }

  [[nodiscard]] std::size_t stolen_count() const { return stolen_.size(); }

 private:
  std::size_t take(const DequeItem& item) {
    require(item.payload < pushed_count_, "Only items that were pushed are taken");
    require(item.run == &data_[item.payload % kItemCountMax], "The words of an item stay together");
    const std::size_t number = item.payload % kItemCountMax;
    require(data_[number].get() == number + 100, "An item brings its data");
    ++taken_count_[number];
    return number;
  }

  static constexpr std::size_t kItemCountMax = 8;
  const std::size_t capacity_;
  runtime::StealDeque<Atomics> deque_;
  std::array<Cell<std::size_t>, kItemCountMax> data_;
  // Records for the checks, not part of the program: sums and sets of what the threads did.
  std::size_t pushed_count_ = 0;
  std::array<int, kItemCountMax> taken_count_{};
  std::vector<std::size_t> stolen_;
};

// All threads compete for the only item.
template <class Atomics, std::size_t kThiefCount>
class LastItem : public DequeScenario<Atomics> {
 public:
  LastItem() : DequeScenario<Atomics>(1 + kThiefCount, 2) { this->push(); }

  void run(std::size_t thread) override {
    if (thread == 0) {
      owner_took_ = this->pop();
    } else {
      this->steal();
    }
  }
  void finish() override {
    const std::size_t taken_count = this->stolen_count() + (owner_took_ ? 1 : 0);
    require(taken_count == 1, "One of those who want the item gets it");
    DequeScenario<Atomics>::finish();
  }

 private:
  bool owner_took_ = false;
};

// The owner pushes and pops while a thief steals.
template <class Atomics>
class PushAndPop : public DequeScenario<Atomics> {
 public:
  PushAndPop() : DequeScenario<Atomics>(2, 2) {}

  void run(std::size_t thread) override {
    if (thread == 1) {
      for (int attempt = 0; attempt < 2; ++attempt) this->steal();
      return;
    }
    this->push();
    this->push();
    const bool found = this->pop();
    require(found || this->stolen_count() > 0, "A pop fails only when thieves took everything");
    this->push();
    static_cast<void>(this->pop());
    static_cast<void>(this->pop());
  }
};

// Two thieves take from one end, the owner from the other.
template <class Atomics>
class TwoThieves : public DequeScenario<Atomics> {
 public:
  TwoThieves() : DequeScenario<Atomics>(3, 4) {
    this->push();
    this->push();
  }

  void run(std::size_t thread) override {
    if (thread == 0) {
      static_cast<void>(this->pop());
      this->push();
      static_cast<void>(this->pop());
    } else {
      this->steal();
    }
  }
};

// Every push but the first finds the deque full, unless the thief has taken an item.
template <class Atomics, int kPushCount>
class Growth : public DequeScenario<Atomics> {
 public:
  Growth() : DequeScenario<Atomics>(2, 1) {}

  void run(std::size_t thread) override {
    if (thread == 1) {
      for (int attempt = 0; attempt < 2; ++attempt) this->steal();
      return;
    }
    for (int count = 0; count < kPushCount; ++count) this->push();
    static_cast<void>(this->pop());
  }
};

// A thief is slow: the slot it reads is emptied by the other thief and filled again by the owner.
template <class Atomics>
class SlotReuse : public DequeScenario<Atomics> {
 public:
  SlotReuse() : DequeScenario<Atomics>(3, 1) { this->push(); }

  void run(std::size_t thread) override {
    if (thread == 0) {
      this->push();
    } else {
      this->steal();
    }
  }
};

using SeqCstAtomics = NoFenceFollowing;

TEST(StealDequeModelTest, P5_LastItemGoesToExactlyOne) {
  expect_holds<LastItem<ModelAtomics, 1>>();
  expect_holds<LastItem<ModelAtomics, 2>>();
  expect_holds<LastItem<SeqCstAtomics, 1>>();
  expect_holds<LastItem<SeqCstAtomics, 2>>();
}

TEST(StealDequeModelTest, P5_NothingIsLostOrTakenTwice) {
  expect_holds<PushAndPop<ModelAtomics>>();
  expect_holds<PushAndPop<SeqCstAtomics>>();
}

TEST(StealDequeModelTest, P5_ThievesShareTheOldEnd) { expect_holds<TwoThieves<ModelAtomics>>(); }

TEST(StealDequeModelTest, GrowthHidesNothingFromThieves) {
  expect_holds<Growth<ModelAtomics, 2>>();
  expect_holds<Growth<ModelAtomics, 3>>({.store_order = StoreOrder::kTotal});
}

TEST(StealDequeModelTest, SlowThiefDiscardsWhatItRead) { expect_holds<SlotReuse<ModelAtomics>>(); }

// A scenario whose hard case never occurs would pass too, so this test checks that they occur.
TEST(StealDequeModelTest, ScenariosReachTheirHardCases) {
  using Books = DequeScenario<ModelAtomics>;
  Books::reached = {};
  expect_holds<LastItem<ModelAtomics, 1>>();
  EXPECT_TRUE(Books::reached.pop_of_item);
  EXPECT_TRUE(Books::reached.pop_of_nothing);
  EXPECT_TRUE(Books::reached.steal[static_cast<std::size_t>(StealResult::kEmpty)]);
  EXPECT_TRUE(Books::reached.steal[static_cast<std::size_t>(StealResult::kLost)]);
  EXPECT_TRUE(Books::reached.steal[static_cast<std::size_t>(StealResult::kTaken)]);
  Books::reached = {};
  expect_holds<Growth<ModelAtomics, 2>>();
  EXPECT_TRUE(Books::reached.steal_after_growth);
}

TEST(StealDequeModelTest, PlantedMissingFenceIsCaught) {
  expect_caught<PushAndPop<NoFences>>(StoreOrder::kTotal, "Every item is taken once");
  expect_caught<PushAndPop<NoSeqCst>>(StoreOrder::kTotal, "Every item is taken once");
}

TEST(StealDequeModelTest, PlantedTornCompareExchangeIsCaught) {
  expect_caught<LastItem<TornUpdates, 1>>(StoreOrder::kTotal, "One of those");
  expect_caught<LastItem<TornUpdates, 2>>(StoreOrder::kTotal, "One of those");
  expect_caught<SlotReuse<TornUpdates>>(StoreOrder::kTotal, "Every item is taken once");
}

TEST(StealDequeModelTest, PlantedMissingReleaseIsCaught) {
  expect_caught<PushAndPop<NoRelease>>(StoreOrder::kPartial, "Plain data is read");
}

TEST(StealDequeModelTest, PlantedMissingAcquireIsCaught) {
  expect_caught<PushAndPop<NoAcquire>>(StoreOrder::kTotal, "Plain data is read");
}

}  // namespace
}  // namespace millrace::model
