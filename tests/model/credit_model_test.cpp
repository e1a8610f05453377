#include <atomic>
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "expectations.h"
#include "explorer.h"
#include "memory.h"
#include "model_atomics.h"
#include "planted_bugs.h"
#include "runtime/protocols/credit.h"

namespace millrace::model {
namespace {

// Thread 0 begins a run, hands a part of it to each of two others and ends its own. Whoever gives
// the last credit back ends the work and reads what all have done.
template <class Atomics>
class ThreeStrands : public Scenario {
 public:
  ThreeStrands() : Scenario(3) { account_.open(); }

  void run(std::size_t thread) override {
    Credit held = 0;
    if (thread == 0) {
      held = kLittle;  // so little that more must be made: all the rest is not in anybody's hand
      static_cast<void>(account_.give_back(Account::kFull - kLittle));
      for (int other = 0; other < 2; ++other) {
        const std::uint32_t share = account_.split(held);
        handed_[other].store(share, std::memory_order_release);
      }
    } else {
      while (held == 0) {
        held = handed_[thread - 1].load(std::memory_order_acquire);
        if (held == 0) Atomics::pause();
      }
    }
    done_[thread].set(1);
    if (!account_.give_back(held)) return;
    ++end_count_[thread];
    for (Cell<int>& done : done_) require(done.get() == 1, "The last one sees what all have done");
  }
  void finish() override {
    require(end_count_[0] + end_count_[1] + end_count_[2] == 1, "The work ends exactly once");
    for (std::size_t thread = 0; thread < 3; ++thread) ended_by[thread] |= end_count_[thread] != 0;
  }

  static inline bool ended_by[3] = {false, false, false};

 private:
  using Account = runtime::CreditAccount<Atomics>;
  using Credit = typename Account::Credit;
  static constexpr Credit kLittle = 8;

  Account account_;
  typename Atomics::template Atomic<std::uint32_t> handed_[2];
  Cell<int> done_[3];
  int end_count_[3] = {0, 0, 0};
};

TEST(CreditModelTest, D8_TheWorkEndsOnceAndTheLastSeesAll) {
  using Program = ThreeStrands<ModelAtomics>;
  expect_holds<Program>({.spurious_max = 0});
  for (const bool ended : Program::ended_by) EXPECT_TRUE(ended);
}

TEST(CreditModelTest, PlantedTornUpdatesAreCaught) {
  const Report report = explore_all<ThreeStrands<TornUpdates>>({.spurious_max = 0});
  EXPECT_TRUE(report.failure.has_value());
}

TEST(CreditModelTest, PlantedMissingReleaseOrAcquireIsCaught) {
  EXPECT_TRUE(explore_all<ThreeStrands<NoRelease>>({.spurious_max = 0}).failure.has_value());
  EXPECT_TRUE(explore_all<ThreeStrands<NoAcquire>>({.spurious_max = 0}).failure.has_value());
}

}  // namespace
}  // namespace millrace::model
