#include <cstddef>

#include <gtest/gtest.h>

#include "expectations.h"
#include "explorer.h"
#include "memory.h"
#include "model_atomics.h"
#include "planted_bugs.h"
#include "runtime/protocols/fallback_marks.h"

namespace millrace::model {
namespace {

// Thread 0 decides that node F takes the place of node A; thread 1 completes F. Whoever finds both
// facts completes A, with the result of F.
template <class Atomics>
class FallbackMeets : public Scenario {
 public:
  FallbackMeets() : Scenario(2) {}

  void run(std::size_t thread) override {
    if (thread == 0) {
      replaced_.mark_used();
      if (fallback_.has_succeeded() && replaced_.try_complete()) complete(thread);
    } else {
      result_.set(7);
      fallback_.mark_succeeded();
      if (replaced_.is_used() && replaced_.try_complete()) complete(thread);
    }
  }
  void finish() override {
    require(completed_count_[0] + completed_count_[1] == 1, "The node is completed exactly once");
    completed_by[0] |= completed_count_[0] != 0;
    completed_by[1] |= completed_count_[1] != 0;
  }

  static inline bool completed_by[2] = {false, false};

 private:
  void complete(std::size_t thread) {
    ++completed_count_[thread];
    require(result_.get() == 7, "The result of the fallback is there");
  }

  runtime::FallbackMarks<Atomics> replaced_;
  runtime::FallbackMarks<Atomics> fallback_;
  Cell<int> result_{0};
  int completed_count_[2] = {0, 0};
};

TEST(FallbackModelTest, K5_ANodeIsCompletedByItsFallbackOnce) {
  using Program = FallbackMeets<ModelAtomics>;
  expect_holds<Program>();
  EXPECT_TRUE(Program::completed_by[0]);
  EXPECT_TRUE(Program::completed_by[1]);
}

TEST(FallbackModelTest, PlantedWeakerOrdersAreCaught) {
  expect_caught<FallbackMeets<NoSeqCst>>(StoreOrder::kTotal, "The node is completed exactly once");
}

TEST(FallbackModelTest, PlantedTornUpdatesAreCaught) {
  const Report report = explore_all<FallbackMeets<TornUpdates>>();
  EXPECT_TRUE(report.failure.has_value());
}

}  // namespace
}  // namespace millrace::model
