#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "base/sync/sequence_lock.h"
#include "expectations.h"
#include "explorer.h"
#include "model_atomics.h"
#include "planted_bugs.h"

namespace millrace::model {
namespace {

// One thread moves something from one number to another, twice; the other thread reads both.
template <class Atomics>
class Mover : public Scenario {
 public:
  Mover() : Scenario(2) {}

  void run(std::size_t thread) override {
    if (thread == 0) {
      for (int turn = 0; turn < 2; ++turn) {
        const typename Lock::Change change(lock_);
        left_.add(-1);
        right_.add(1);
      }
      return;
    }
    std::int64_t left = 0;
    std::int64_t right = 0;
    lock_.read([&] {
      left = left_.value();
      right = right_.value();
    });
    require(left + right == 0, "A reader sees both numbers of one moment");
    seen[static_cast<std::size_t>(right)] = true;
  }
  void finish() override { require(right_.value() == 2, "Nothing is lost"); }

  static inline bool seen[3] = {false, false, false};

 private:
  using Lock = base::SequenceLock<Atomics>;
  Lock lock_;
  base::SequencedNumber<Atomics> left_;
  base::SequencedNumber<Atomics> right_;
};

TEST(SequenceLockModelTest, S36_NumbersThatChangeTogetherAreReadTogether) {
  using Program = Mover<ModelAtomics>;
  expect_holds<Program>({.spurious_max = 0});
  for (const bool seen : Program::seen) EXPECT_TRUE(seen);
}

// The explorer delays stores but not loads, so it cannot miss an acquire here.
TEST(SequenceLockModelTest, PlantedMissingReleaseIsCaught) {
  EXPECT_TRUE(explore_all<Mover<NoRelease>>({.spurious_max = 0}).failure.has_value());
}

}  // namespace
}  // namespace millrace::model
