#include "rows/stop_check.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "rows/stop_fixture.h"

namespace millrace::rows {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Pair;
using testing::StopAtLook;

TEST(StopCheckTest, TheEmptyOneNeverStops) {
  const StopCheck never;
  EXPECT_FALSE(never.stop_requested());
  EXPECT_TRUE(never.check().has_value());
}

TEST(StopCheckTest, TheErrorIsThatOfARunThatIsOver) {
  StopAtLook stop(1);
  const StopCheck check = stop.check();
  EXPECT_TRUE(check.check().has_value());
  const base::Status stopped = check.check();
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code(), base::ErrorCode::kCancelled);
  EXPECT_EQ(stopped.error().message(), "The run is over");
  EXPECT_EQ(stopped.error().where(), "here");
}

TEST(StopPacerTest, LooksOnceInSoManyRows) {
  StopAtLook stop;
  const StopCheck check = stop.check();
  StopPacer pacer(check);
  for (std::size_t i = 1; i < kStopCheckRows; ++i) EXPECT_TRUE(pacer.go_on(1));
  EXPECT_EQ(stop.look_count(), 0U);
  EXPECT_TRUE(pacer.go_on(1));
  EXPECT_EQ(stop.look_count(), 1U);
  EXPECT_TRUE(pacer.go_on(10 * kStopCheckRows));
  EXPECT_EQ(stop.look_count(), 2U);
}

TEST(StopPacerTest, HasStoppedForGood) {
  StopAtLook stop(0);
  const StopCheck check = stop.check();
  StopPacer pacer(check);
  EXPECT_FALSE(pacer.has_stopped());
  EXPECT_FALSE(pacer.go_on(kStopCheckRows));
  EXPECT_TRUE(pacer.has_stopped());
  EXPECT_FALSE(pacer.go_on(0));
  EXPECT_EQ(stop.look_count(), 1U);
}

std::vector<std::pair<std::size_t, std::size_t>> parts_of(std::size_t count, StopAtLook& stop) {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  const base::Status done =
      in_parts<10>(count, stop.check(), [&](std::size_t begin, std::size_t end) {
        parts.emplace_back(begin, end);
      });
  EXPECT_EQ(done.has_value(), stop.look_count() == (count + 9) / 10);
  return parts;
}

TEST(InPartsTest, PartsFollowEachOtherToTheEnd) {
  StopAtLook never;
  EXPECT_THAT(parts_of(25, never), ElementsAre(Pair(0, 10), Pair(10, 20), Pair(20, 25)));
  StopAtLook unasked;
  EXPECT_THAT(parts_of(0, unasked), ElementsAre());
  StopAtLook full;
  EXPECT_THAT(parts_of(20, full), ElementsAre(Pair(0, 10), Pair(10, 20)));
}

TEST(InPartsTest, NothingFollowsAStop) {
  StopAtLook stop(1);
  EXPECT_THAT(parts_of(25, stop), ElementsAre(Pair(0, 10)));
}

TEST(FillInPartsTest, SetsEveryValue) {
  StopAtLook never;
  std::vector<std::uint8_t> values(2 * kStopCheckFillRows + 1, 0);
  EXPECT_TRUE(fill_in_parts(std::span(values), std::uint8_t{7}, never.check()).has_value());
  EXPECT_THAT(values, Each(7));
  EXPECT_EQ(never.look_count(), 3U);
}

}  // namespace
}  // namespace millrace::rows
