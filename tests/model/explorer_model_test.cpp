// Tests of the explorer itself: litmus tests whose set of possible outcomes is known.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "base/random.h"
#include "expectations.h"
#include "explorer.h"
#include "memory.h"
#include "model_atomics.h"

namespace millrace::model {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kSeqCst = std::memory_order_seq_cst;

using Outcome = std::pair<int, int>;
using Outcomes = std::set<Outcome>;

// Two variables, two threads, two results; collects every outcome that occurs.
class Litmus : public Scenario {
 public:
  using Part = void (*)(Litmus&);
  using End = Outcome (*)(Litmus&);

  Litmus(Part first, Part second, End end, Outcomes& outcomes)
      : Scenario(2, Fences::kHeavy), parts_{first, second}, end_(end), outcomes_(outcomes) {}

  void run(std::size_t thread) override { parts_[thread](*this); }
  void finish() override { outcomes_.insert(end_(*this)); }

  ModelAtomic<int> x{0};
  ModelAtomic<int> y{0};
  int first_result = 0;
  int second_result = 0;

 private:
  std::array<Part, 2> parts_;
  End end_;
  Outcomes& outcomes_;
};

Outcome results(Litmus& litmus) { return {litmus.first_result, litmus.second_result}; }
Outcome contents(Litmus& litmus) { return {litmus.x.load(kRelaxed), litmus.y.load(kRelaxed)}; }

Outcomes outcomes_of(StoreOrder order,
                     Litmus::Part first,
                     Litmus::Part second,
                     Litmus::End end = results) {
  Outcomes outcomes;
  const Report report = explore({.store_order = order}, [&] {
    return std::make_unique<Litmus>(first, second, end, outcomes);
  });
  EXPECT_EQ(report.failure.value_or(""), "");
  EXPECT_TRUE(report.complete);
  return outcomes;
}

template <std::memory_order kStore, std::memory_order kLoad, bool kFence = false>
Outcomes store_buffering(StoreOrder order) {
  return outcomes_of(
      order,
      [](Litmus& l) {
        l.x.store(1, kStore);
        if (kFence) ModelAtomics::fence_seq_cst();
        l.first_result = l.y.load(kLoad);
      },
      [](Litmus& l) {
        l.y.store(1, kStore);
        if (kFence) ModelAtomics::fence_seq_cst();
        l.second_result = l.x.load(kLoad);
      });
}

const Outcomes kOneSeesTheOther{{0, 1}, {1, 0}, {1, 1}};
const Outcomes kAnything{{0, 0}, {0, 1}, {1, 0}, {1, 1}};

TEST(ExplorerTest, StoreBufferingIsSeenUnlessFencedOrSeqCst) {
  EXPECT_EQ((store_buffering<kSeqCst, kSeqCst>(StoreOrder::kSequential)), kOneSeesTheOther);
  for (const StoreOrder order : {StoreOrder::kTotal, StoreOrder::kPartial}) {
    EXPECT_EQ((store_buffering<kRelaxed, kRelaxed>(order)), kAnything);
    EXPECT_EQ((store_buffering<kRelease, kAcquire>(order)), kAnything);
    EXPECT_EQ((store_buffering<kSeqCst, kSeqCst>(order)), kOneSeesTheOther);
    EXPECT_EQ((store_buffering<kRelaxed, kRelaxed, true>(order)), kOneSeesTheOther);
  }
}

TEST(ExplorerTest, HeavyFenceOrdersBothSidesAndLightFenceNone) {
  const auto fast = [](Litmus& l) {
    l.x.store(1, kRelaxed);
    ModelAtomics::light_fence();
    l.first_result = l.y.load(kRelaxed);
  };
  const auto slow = [](Litmus& l) {
    l.y.store(1, kRelaxed);
    ModelAtomics::heavy_fence();
    l.second_result = l.x.load(kRelaxed);
  };
  const auto slow_but_light = [](Litmus& l) {
    l.y.store(1, kRelaxed);
    ModelAtomics::fence_seq_cst();
    l.second_result = l.x.load(kRelaxed);
  };
  for (const StoreOrder order : {StoreOrder::kTotal, StoreOrder::kPartial}) {
    EXPECT_EQ(outcomes_of(order, fast, slow), kOneSeesTheOther);
    EXPECT_EQ(outcomes_of(order, fast, slow_but_light), kAnything);
  }
}

template <std::memory_order kStore>
Outcomes message_passing(StoreOrder order) {
  return outcomes_of(
      order,
      [](Litmus& l) {
        l.x.store(1, kRelaxed);
        l.y.store(1, kStore);
      },
      [](Litmus& l) {
        l.first_result = l.y.load(kAcquire);
        l.second_result = l.x.load(kRelaxed);
      });
}

TEST(ExplorerTest, MessagesArriveInOrderOnlyIfReleasedOrUnderTotalOrder) {
  const Outcomes in_order{{0, 0}, {0, 1}, {1, 1}};
  EXPECT_EQ(message_passing<kRelaxed>(StoreOrder::kSequential), in_order);
  EXPECT_EQ(message_passing<kRelaxed>(StoreOrder::kTotal), in_order);
  EXPECT_EQ(message_passing<kRelease>(StoreOrder::kPartial), in_order);
  EXPECT_EQ(message_passing<kRelaxed>(StoreOrder::kPartial), kAnything);
}

TEST(ExplorerTest, FenceKeepsPartialOrderedStoresInOrder) {
  const Outcomes outcomes = outcomes_of(
      StoreOrder::kPartial,
      [](Litmus& l) {
        l.x.store(1, kRelaxed);
        ModelAtomics::fence_seq_cst();
        l.y.store(1, kRelaxed);
      },
      [](Litmus& l) {
        l.first_result = l.y.load(kAcquire);
        l.second_result = l.x.load(kRelaxed);
      });
  EXPECT_EQ(outcomes, (Outcomes{{0, 0}, {0, 1}, {1, 1}}));
}

// Two threads that write both variables in opposite order.
Outcomes two_plus_two_writes(StoreOrder order) {
  return outcomes_of(
      order,
      [](Litmus& l) {
        l.x.store(1, kRelaxed);
        l.y.store(2, kRelaxed);
      },
      [](Litmus& l) {
        l.y.store(1, kRelaxed);
        l.x.store(2, kRelaxed);
      },
      contents);
}

TEST(ExplorerTest, FinalContentsAreThoseTheOrderOfStoresAllows) {
  const Outcomes in_order{{1, 2}, {2, 1}, {2, 2}};
  EXPECT_EQ(two_plus_two_writes(StoreOrder::kSequential), in_order);
  EXPECT_EQ(two_plus_two_writes(StoreOrder::kTotal), in_order);
  EXPECT_EQ(two_plus_two_writes(StoreOrder::kPartial), (Outcomes{{1, 1}, {1, 2}, {2, 1}, {2, 2}}));
}

TEST(ExplorerTest, ThreadSeesItsOwnStoresAndLaterOnesOfOthers) {
  const Outcomes outcomes = outcomes_of(
      StoreOrder::kTotal,
      [](Litmus& l) {
        l.x.store(1, kRelaxed);
        l.first_result = l.x.load(kRelaxed);
      },
      [](Litmus& l) {
        l.x.store(2, kRelaxed);
        l.second_result = l.x.load(kRelaxed);
      });
  EXPECT_EQ(outcomes, (Outcomes{{1, 1}, {1, 2}, {2, 2}}));
}

TEST(ExplorerTest, UpdatesAreAtomicAndWeakOnesMayFail) {
  const auto claim = [](Litmus& l, int value, int& result) {
    int expected = 0;
    result = l.x.compare_exchange_strong(expected, value, kRelaxed, kRelaxed) ? 1 : 0;
  };
  static constexpr auto kClaim = claim;
  EXPECT_EQ(outcomes_of(
                StoreOrder::kPartial,
                [](Litmus& l) { kClaim(l, 1, l.first_result); },
                [](Litmus& l) { kClaim(l, 2, l.second_result); }),
            (Outcomes{{0, 1}, {1, 0}}));
  EXPECT_EQ(outcomes_of(
                StoreOrder::kPartial,
                [](Litmus& l) {
                  int expected = 0;
                  l.first_result = l.x.compare_exchange_weak(expected, 1, kRelaxed, kRelaxed);
                },
                [](Litmus&) {}),
            (Outcomes{{0, 0}, {1, 0}}));
  EXPECT_EQ(outcomes_of(
                StoreOrder::kPartial,
                [](Litmus& l) { l.first_result = l.x.exchange(1, kRelaxed); },
                [](Litmus& l) { l.second_result = l.x.exchange(2, kRelaxed); }),
            (Outcomes{{0, 1}, {2, 0}}));
}

// Plain data handed over through a flag.
template <std::memory_order kStore, std::memory_order kLoad, bool kFences>
class HandOver : public Scenario {
 public:
  HandOver() : Scenario(2) {}

  void run(std::size_t thread) override {
    if (thread == 0) {
      data_.set(7);
      if (kFences) ModelAtomics::fence_seq_cst();
      ready_.store(1, kStore);
    } else if (ready_.load(kLoad) == 1) {
      if (kFences) ModelAtomics::fence_seq_cst();
      require(data_.get() == 7, "Data arrives");
    }
  }
  void finish() override { require(data_.get() == 7, "Data is there"); }

 private:
  Cell<int> data_{0};
  ModelAtomic<int> ready_{0};
};

TEST(ExplorerTest, PlainDataNeedsReleaseAndAcquire) {
  expect_holds<HandOver<kRelease, kAcquire, false>>();
  expect_holds<HandOver<kRelaxed, kRelaxed, true>>();
  const char* const race = "Plain data is read without synchronisation";
  expect_caught<HandOver<kRelaxed, kAcquire, false>>(StoreOrder::kTotal, race);
  expect_caught<HandOver<kRelease, kRelaxed, false>>(StoreOrder::kTotal, race);
}

class Deadlock : public Scenario {
 public:
  Deadlock() : Scenario(2) {}

  void run(std::size_t thread) override {
    if (thread == 0) {
      while (flag_.load(kAcquire) == 0) ModelAtomics::pause();
    } else if (other_.load(kRelaxed) == 0) {
      other_.store(1, kRelaxed);
    }
  }
  void finish() override {}

 private:
  ModelAtomic<int> flag_{0};
  ModelAtomic<int> other_{0};
};

class SpinLock : public Scenario {
 public:
  SpinLock() : Scenario(3) {}

  void run(std::size_t /*thread*/) override {
    int expected = 0;
    while (!locked_.compare_exchange_weak(expected, 1, kAcquire, kRelaxed)) {
      expected = 0;
      ModelAtomics::pause();
    }
    count_.set(count_.get() + 1);
    locked_.store(0, kRelease);
  }
  void finish() override { require(count_.get() == 3, "Nothing is lost"); }

 private:
  ModelAtomic<int> locked_{0};
  Cell<int> count_{0};
};

TEST(ExplorerTest, SpinLoopsEndOrAreReported) {
  expect_caught<Deadlock>(StoreOrder::kTotal, "No thread can go on");
  expect_holds<SpinLock>();
}

// One wake for two sleepers.
class Sleepers : public Scenario {
 public:
  Sleepers() : Scenario(3) {}

  void run(std::size_t thread) override {
    if (thread == 0) {
      word_.store(1, kRelaxed);
      ModelFutex::wake_one(word_);
    } else {
      while (word_.load(kRelaxed) == 0) {
        static_cast<void>(ModelFutex::wait(word_, 0, std::nullopt));
      }
    }
  }
  void finish() override {}

 private:
  ModelAtomic<std::uint32_t> word_{0};
};

TEST(ExplorerTest, SleeperThatNobodyWakesIsReported) {
  expect_caught<Sleepers>(StoreOrder::kTotal, "No thread can go on");
}

// A program of random operations on two variables; an outcome is everything that its threads have
// read.
class RandomProgram : public Scenario {
 public:
  using Outcome = std::array<int, 8>;

  RandomProgram(std::uint64_t seed, std::set<Outcome>& outcomes)
      : Scenario(2), seed_(seed), outcomes_(outcomes) {}

  void run(std::size_t thread) override {
    base::SplitMix64 random(seed_ * 2 + thread);
    for (std::size_t step = 0; step < 3; ++step) {
      ModelAtomic<int>& variable = random.chance(0.5) ? x_ : y_;
      const int value = static_cast<int>(10 * thread + step + 1);
      int& result = outcome_[3 * thread + step];
      switch (random.below(7)) {
        case 0:
          variable.store(value, kRelaxed);
          break;
        case 1:
          variable.store(value, kRelease);
          break;
        case 2:
          variable.store(value, kSeqCst);
          break;
        case 3:
          result = variable.load(random.chance(0.5) ? kRelaxed : kSeqCst);
          break;
        case 4:
          result = variable.exchange(value, kRelaxed);
          break;
        case 5:
          variable.compare_exchange_weak(result, value, kAcquire, kRelaxed);
          break;
        default:
          ModelAtomics::fence_seq_cst();
      }
    }
  }
  void finish() override {
    outcome_[6] = x_.load(kRelaxed);
    outcome_[7] = y_.load(kRelaxed);
    outcomes_.insert(outcome_);
  }

 private:
  const std::uint64_t seed_;
  ModelAtomic<int> x_{0};
  ModelAtomic<int> y_{0};
  Outcome outcome_{};
  std::set<Outcome>& outcomes_;
};

using ProgramOutcomes = std::set<RandomProgram::Outcome>;

ProgramOutcomes outcomes_of_program(std::uint64_t seed, const Options& options) {
  ProgramOutcomes outcomes;
  const Report report =
      explore(options, [&] { return std::make_unique<RandomProgram>(seed, outcomes); });
  EXPECT_TRUE(report.complete);
  return outcomes;
}

TEST(ExplorerTest, VisitingStatesOnceMissesNoOutcome) {
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    for (const StoreOrder order : {StoreOrder::kTotal, StoreOrder::kPartial}) {
      EXPECT_EQ(outcomes_of_program(seed, {.store_order = order}),
                outcomes_of_program(seed, {.store_order = order, .revisit_states = true}))
          << "seed " << seed;
    }
  }
}

TEST(ExplorerTest, WeakerOrderAllowsEverythingThatStrongerDoes) {
  int gain_count = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto sequential = outcomes_of_program(seed, {.store_order = StoreOrder::kSequential});
    const auto total = outcomes_of_program(seed, {.store_order = StoreOrder::kTotal});
    const auto partial = outcomes_of_program(seed, {.store_order = StoreOrder::kPartial});
    EXPECT_TRUE(std::ranges::includes(total, sequential)) << "seed " << seed;
    EXPECT_TRUE(std::ranges::includes(partial, total)) << "seed " << seed;
    if (total.size() > sequential.size() || partial.size() > total.size()) ++gain_count;
  }
  EXPECT_GT(gain_count, 10);
}

TEST(ExplorerTest, SearchThatIsCutShortIsNotComplete) {
  const Report report = explore({.executions_max = 2}, [] { return std::make_unique<SpinLock>(); });
  EXPECT_EQ(report.execution_count, 2U);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.failure, std::nullopt);
}

}  // namespace
}  // namespace millrace::model
