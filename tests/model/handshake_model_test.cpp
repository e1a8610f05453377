#include <cstddef>

#include <gtest/gtest.h>

#include "expectations.h"
#include "explorer.h"
#include "memory.h"
#include "model_atomics.h"
#include "planted_bugs.h"
#include "runtime/handshake.h"
#include "runtime/steal_deque.h"

namespace millrace::model {
namespace {

// Thread 0 owns plain state and runs bodies; the others act on that state when the handshake allows
// it. If two threads touch the state together, the race is found; if the owner does not see a hold
// end, it hangs.
template <class Atomics, std::size_t kOtherCount>
class ActingForOwner : public Scenario {
 public:
  ActingForOwner() : Scenario(1 + kOtherCount, Fences::kHeavy) {}

  void run(std::size_t thread) override {
    if (thread == 0) {
      for (int body = 0; body < 2; ++body) {
        touch();
        handshake_.enter_body();
        handshake_.leave_body();
      }
      touch();
    } else {
      const int attempt_count = kOtherCount == 1 ? 2 : 1;
      for (int attempt = 0; attempt < attempt_count; ++attempt) act(thread - 1);
    }
  }

  void finish() override {
    was_held[0] |= held_count_[0] > 0;
    was_held[1] |= held_count_[1] > 0;
    require(touch_count_.get() == 3 + held_count_[0] + held_count_[1], "No touch is lost");
    handshake_.enter_body();
    require(handshake_.try_hold(), "Nobody holds it at the end");
  }

  // Which threads have held it in some execution.
  static inline bool was_held[2] = {false, false};

 private:
  void touch() { touch_count_.set(touch_count_.get() + 1); }

  void act(std::size_t other) {
    if (!handshake_.try_hold()) return;
    ++held_count_[other];
    touch();
    handshake_.release();
  }

  runtime::Handshake<Atomics> handshake_;
  Cell<int> touch_count_{0};
  int held_count_[2] = {0, 0};
};

// For systems without the kernel's help: both sides use full fences.
struct SymmetricFences : ModelAtomics {
  static void light_fence() { fence_seq_cst(); }
  static void heavy_fence() { fence_seq_cst(); }
};

struct NoFencesAtAll : ModelAtomics {
  static void heavy_fence() {}
};

// The other thread pops from the owner's deque, as the owner would.
template <class Atomics>
class PoppingForOwner : public Scenario {
 public:
  PoppingForOwner() : Scenario(2, Fences::kHeavy) { deque_.push({.run = nullptr, .payload = 0}); }

  void run(std::size_t thread) override {
    runtime::DequeItem item;
    if (thread == 0) {
      handshake_.enter_body();
      handshake_.leave_body();
      deque_.push({.run = nullptr, .payload = 1});
      while (deque_.try_pop(item)) ++owner_taken_[item.payload];
    } else if (handshake_.try_hold()) {
      if (deque_.try_pop(item)) ++other_taken_[item.payload];
      handshake_.release();
    }
  }
  // Whether the other thread got an item in some execution.
  static inline bool other_took = false;

  void finish() override {
    other_took |= other_taken_[0] > 0;
    for (int number = 0; number < 2; ++number) {
      require(owner_taken_[number] + other_taken_[number] == 1, "Every item is taken once");
    }
  }

 private:
  runtime::Handshake<Atomics> handshake_;
  runtime::StealDeque<Atomics> deque_{2};
  int owner_taken_[2] = {0, 0};
  int other_taken_[2] = {0, 0};
};

TEST(HandshakeModelTest, OwnerAndHolderExcludeEachOther) {
  expect_holds<ActingForOwner<ModelAtomics, 1>>();
  EXPECT_TRUE((ActingForOwner<ModelAtomics, 1>::was_held[0]));
  expect_holds<ActingForOwner<SymmetricFences, 1>>();
}

TEST(HandshakeModelTest, HoldersExcludeEachOther) {
  expect_holds<ActingForOwner<ModelAtomics, 2>>();
  EXPECT_TRUE((ActingForOwner<ModelAtomics, 2>::was_held[0]));
  EXPECT_TRUE((ActingForOwner<ModelAtomics, 2>::was_held[1]));
  expect_holds<ActingForOwner<SymmetricFences, 2>>();
}

TEST(HandshakeModelTest, HolderMayPlayTheDequesOwner) {
  expect_holds<PoppingForOwner<ModelAtomics>>();
  EXPECT_TRUE(PoppingForOwner<ModelAtomics>::other_took);
}

TEST(HandshakeModelTest, PlantedMissingHeavyFenceIsCaught) {
  expect_caught<ActingForOwner<NoHeavyFence, 1>>(StoreOrder::kTotal, "Plain data is");
  expect_caught<ActingForOwner<NoFencesAtAll, 1>>(StoreOrder::kTotal, "Plain data is");
  expect_caught<PoppingForOwner<NoHeavyFence>>(StoreOrder::kTotal, "Every item is taken once");
}

TEST(HandshakeModelTest, PlantedTornCompareExchangeIsCaught) {
  expect_caught<ActingForOwner<TornUpdates, 2>>(StoreOrder::kSequential, "Plain data is");
}

TEST(HandshakeModelTest, PlantedMissingReleaseOrAcquireIsCaught) {
  expect_caught<ActingForOwner<NoRelease, 1>>(StoreOrder::kTotal, "Plain data is");
  expect_caught<ActingForOwner<NoAcquire, 1>>(StoreOrder::kTotal, "Plain data is");
}

}  // namespace
}  // namespace millrace::model
