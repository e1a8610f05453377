#include <cstddef>
#include <optional>

#include <gtest/gtest.h>

#include "base/sync/parking.h"
#include "expectations.h"
#include "explorer.h"
#include "memory.h"
#include "model_atomics.h"
#include "planted_bugs.h"
#include "runtime/protocols/delivery.h"

namespace millrace::model {
namespace {

// Thread 0 waits for the answer of a run and then takes everything away; thread 1 answers. Storage
// is a plain cell: a touch behind its end is a race. A lost wake-up is a thread that cannot go on.
template <class Atomics>
class WaiterAndAnswer : public Scenario {
 public:
  WaiterAndAnswer() : Scenario(2, Fences::kHeavy) {}

  void run(std::size_t thread) override {
    if (thread == 1) {
      answer_.set(7);
      delivery_.deliver([this] {
        storage_.set(1);  // stands for all that the call to the waiter touches
        if (spot_.is_waiting()) spot_.notify();
      });
      return;
    }
    while (!delivery_.is_done()) {
      spot_.announce();
      Atomics::heavy_fence();
      if (delivery_.is_done()) {
        static_cast<void>(spot_.cancel());
      } else {
        static_cast<void>(spot_.wait(std::nullopt));
        slept = true;
      }
    }
    require(answer_.get() == 7, "The answer is there");
    storage_.set(2);  // and the storage is nobody else's
  }
  void finish() override { require(storage_.get() == 2, "The waiter was the last"); }

  static inline bool slept = false;

 private:
  runtime::AnswerDelivery<Atomics> delivery_;
  base::ParkingSpot<Atomics, ModelFutex> spot_;
  Cell<int> answer_{0};
  Cell<int> storage_{0};
};

TEST(DeliveryModelTest, C2_TheWaiterIsWokenAndNobodyTouchesTheRunBehindIt) {
  using Program = WaiterAndAnswer<ModelAtomics>;
  expect_holds<Program>({.spurious_max = 0});
  EXPECT_TRUE(Program::slept);
}

TEST(DeliveryModelTest, PlantedMissingHeavyFenceIsCaught) {
  expect_caught<WaiterAndAnswer<NoHeavyFence>>(StoreOrder::kTotal, "No thread can go on");
}

TEST(DeliveryModelTest, PlantedMissingReleaseIsCaught) {
  const Report report = explore_all<WaiterAndAnswer<NoRelease>>({.spurious_max = 0});
  EXPECT_TRUE(report.failure.has_value());
}

}  // namespace
}  // namespace millrace::model
