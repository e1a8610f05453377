#include <atomic>
#include <cstddef>
#include <optional>

#include <gtest/gtest.h>

#include "base/sync/parking.h"
#include "expectations.h"
#include "explorer.h"
#include "memory.h"
#include "model_atomics.h"
#include "planted_bugs.h"
#include "runtime/protocols/idle_counts.h"

namespace millrace::model {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// Thread 0 enters a strand and stays in it; thread 1, the only one that watches, is about to sleep.
// If it slept although nobody else watches, a body that takes too long would hold its siblings back
// for ever: the explorer reports that thread 1 cannot go on.
template <class Atomics>
class BusyAndWatcher : public Scenario {
 public:
  BusyAndWatcher() : Scenario(2, Fences::kHeavy) { counts_.start_idling(); }

  void run(std::size_t thread) override {
    if (thread == 0) {
      busy_.store(1, kRelaxed);
      Atomics::light_fence();
      if (!counts_.is_watched()) wake();
      return;
    }
    counts_.stop_searching();
    spot_.announce();
    Atomics::heavy_fence();
    counts_.start_sleeping();
    Atomics::heavy_fence();
    if (!counts_.is_watched() && busy_.load(kRelaxed) != 0) {
      counts_.stop_sleeping();
      if (spot_.cancel()) counts_.start_searching();
      stayed = true;
      return;
    }
    static_cast<void>(spot_.wait(std::nullopt));
    counts_.stop_sleeping();
    slept = true;
  }
  void finish() override {
    require(counts_.is_watched(), "Somebody watches");
    require(counts_.searching_count() == 1, "Whoever was woken or stayed is counted as searching");
  }

  // What has happened in some execution.
  static inline bool stayed = false;
  static inline bool slept = false;

 private:
  void wake() {
    if (!spot_.is_waiting()) return;
    counts_.start_searching();
    if (!spot_.notify()) counts_.stop_searching();
  }

  runtime::IdleCounts<Atomics> counts_;
  typename Atomics::template Atomic<int> busy_{0};
  base::ParkingSpot<Atomics, ModelFutex> spot_;
};

TEST(IdleCountsModelTest, D6_NobodySleepsUnwatchedBesideABusyWorker) {
  using Program = BusyAndWatcher<ModelAtomics>;
  expect_holds<Program>({.spurious_max = 0});
  EXPECT_TRUE(Program::stayed);
  EXPECT_TRUE(Program::slept);
}

TEST(IdleCountsModelTest, PlantedMissingHeavyFenceIsCaught) {
  const Report report = explore_all<BusyAndWatcher<NoHeavyFence>>({.spurious_max = 0});
  EXPECT_TRUE(report.failure.has_value());
}

}  // namespace
}  // namespace millrace::model
