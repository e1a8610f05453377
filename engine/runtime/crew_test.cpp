#include "runtime/crew.h"

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "runtime/pool_settings.h"
#include "runtime/sharing_prices.h"

namespace millrace::runtime {
namespace {

class CrewTest : public testing::Test {
 protected:
  void park(std::uint32_t slot) {
    crew.set_parked(slot);
    crew.spot(slot).announce();
  }

  base::ManualClock clock;
  Crew crew{ExecutorConfig{.compute_threads = 4, .callers_help = false}, clock, SharingPrices{}};
};

TEST_F(CrewTest, P5_WakesTheNextSleeperFromASlotOnAndCountsItAsSearching) {
  EXPECT_FALSE(crew.wake_one(0)) << "nobody sleeps";
  park(1);
  park(3);
  EXPECT_TRUE(crew.wake_one(2));
  EXPECT_FALSE(crew.spot(3).is_waiting());
  EXPECT_TRUE(crew.spot(1).is_waiting());
  EXPECT_EQ(crew.searching_count(), 1);
  EXPECT_TRUE(crew.wake_one(2)) << "around the end";
  EXPECT_FALSE(crew.wake_one(2)) << "both are called already";
  EXPECT_EQ(crew.searching_count(), 2);
  EXPECT_TRUE(crew.spot(1).wait(std::nullopt));
  EXPECT_TRUE(crew.spot(3).wait(std::nullopt));
}

TEST_F(CrewTest, WhoLooksForWorkAlreadyNeedsNoCall) {
  park(0);
  crew.idle_counts().start_searching();
  crew.announce_work();
  EXPECT_TRUE(crew.spot(0).is_waiting());
  crew.idle_counts().stop_searching();
  crew.announce_work();
  EXPECT_FALSE(crew.spot(0).is_waiting());
  EXPECT_TRUE(crew.spot(0).wait(std::nullopt));
}

TEST_F(CrewTest, OneWorkerSharesNothing) {
  const Crew alone(ExecutorConfig{.compute_threads = 1}, clock, SharingPrices{});
  EXPECT_FALSE(alone.can_share());
  EXPECT_EQ(alone.thread_count(), 0U) << "the caller is the worker";
  EXPECT_EQ(alone.backlog_limit_ns(), UINT64_MAX);
  EXPECT_TRUE(crew.can_share());
  EXPECT_EQ(crew.thread_count(), 4U);
}

}  // namespace
}  // namespace millrace::runtime
