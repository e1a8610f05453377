#include "graph/run/pace.h"

#include <chrono>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "graph/compile/domains.h"
#include "graph/format/words.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

Pace grid(OverrunPolicy policy, Duration phase = {}) {
  return {{.id = "g", .pace = PaceType::kGrid, .period = 10ms}, phase, policy};
}

TEST(Pace, G34_TicksOnSlotsWithoutDrift) {
  Pace pace = grid(OverrunPolicy::kDropTick, 3ms);
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(pace.next_start({}, std::nullopt), 3ms + k * 10ms);
    EXPECT_EQ(pace.end(3ms + k * 10ms + 7ms), 0U);
  }
}

TEST(Pace, G34_EndingOnTheNextSlotIsInTime) {
  Pace pace = grid(OverrunPolicy::kDropTick);
  EXPECT_EQ(pace.end(10ms), 0U);
  EXPECT_EQ(pace.next_start({}, std::nullopt), 10ms);
}

TEST(Pace, G34_DropTickGoesOnAtTheFirstSlotNotBeforeTheEnd) {
  Pace pace = grid(OverrunPolicy::kDropTick);
  EXPECT_EQ(pace.end(25ms), 2U);
  EXPECT_EQ(pace.next_start({}, std::nullopt), 30ms);
  EXPECT_EQ(pace.end(50ms), 1U);
  EXPECT_EQ(pace.next_start({}, std::nullopt), 50ms);
}

TEST(Pace, G34_SkipNextLeavesOutOneMore) {
  Pace pace = grid(OverrunPolicy::kSkipNext);
  EXPECT_EQ(pace.end(25ms), 3U);
  EXPECT_EQ(pace.next_start({}, std::nullopt), 40ms);
}

TEST(Pace, G34_CatchUpOnceTicksAtTheEndAndThenOnTheGrid) {
  Pace pace = grid(OverrunPolicy::kCatchUpOnce);
  EXPECT_EQ(pace.end(35ms), 2U) << "slots 10 and 20; the extra tick stands for 30";
  EXPECT_EQ(pace.next_start({}, std::nullopt), 35ms);
  EXPECT_EQ(pace.slot(), 30ms);
  EXPECT_EQ(pace.end(37ms), 0U);
  EXPECT_EQ(pace.next_start({}, std::nullopt), 40ms);
}

TEST(Pace, G34_ALateCatchUpIsNotCaughtUpAgain) {
  Pace pace = grid(OverrunPolicy::kCatchUpOnce);
  EXPECT_EQ(pace.end(35ms), 2U);
  EXPECT_EQ(pace.end(55ms), 2U);
  EXPECT_EQ(pace.next_start({}, std::nullopt), 60ms);
}

TEST(Pace, G58_SimulatedReadyAndManual) {
  Pace simulated({.id = "s", .pace = PaceType::kSimulated, .period = 10ms}, {}, {});
  EXPECT_EQ(simulated.next_start({}, std::nullopt), 0ms);
  simulated.end(4ms);
  EXPECT_EQ(simulated.next_start(4ms, std::nullopt), 10ms);
  simulated.end(27ms);
  EXPECT_EQ(simulated.next_start(27ms, std::nullopt), 27ms);

  const Pace ready({.id = "r", .pace = PaceType::kReady}, {}, {});
  EXPECT_EQ(ready.next_start(5ms, std::nullopt), std::nullopt);
  EXPECT_EQ(ready.next_start(5ms, 3ms), 5ms);
  EXPECT_EQ(ready.next_start(5ms, 8ms), 8ms);

  const Pace manual({.id = "m", .pace = PaceType::kManual}, {}, {});
  EXPECT_EQ(manual.next_start({}, 0ms), std::nullopt);
}

}  // namespace
}  // namespace millrace::graph
