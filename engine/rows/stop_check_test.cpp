#include "rows/stop_check.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/concat.h"
#include "rows/join.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/stop_fixture.h"

namespace millrace::rows {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

StopCheck check_of(RowBudget& budget) {
  return {[](const void*) { return false; }, nullptr, "node", &budget};
}

/// Rows with the ids 1 to `count`, all of which have the same `group`.
RowSet rows_of_one_group(std::size_t count) {
  RowScratch scratch;
  Array<std::int64_t> ids = scratch.make_array<std::int64_t>(count);
  Array<std::int64_t> groups = scratch.make_array<std::int64_t>(count);
  for (std::size_t i = 0; i < count; ++i) {
    ids[i] = static_cast<std::int64_t>(i) + 1;
    groups[i] = 7;
  }
  NamedColumns columns;
  columns.push_back({.name = "id", .column = Column::make_int64(std::move(ids))});
  columns.push_back({.name = "group", .column = Column::make_int64(std::move(groups))});
  return RowSet(Batch::make(std::move(columns)).value());
}

TEST(RowBudgetTest, LIM2_WhatDoesNotFitIsNotTaken) {
  RowBudget budget;
  budget.open({.bytes_max = 100});
  EXPECT_TRUE(budget.try_take(60));
  EXPECT_FALSE(budget.try_take(41));
  EXPECT_TRUE(budget.try_take(40));
  EXPECT_EQ(budget.taken_bytes(), 100U);
  budget.open({.bytes_max = 100});
  EXPECT_EQ(budget.taken_bytes(), 0U);
}

TEST(RowBudgetTest, LIM2_LargeBlocksOfAScratchCount) {
  RowBudget budget;
  budget.open({.bytes_max = 1'000'000});
  RowScratch scratch;
  scratch.set_stop(check_of(budget));
  const Array<std::int64_t> fits = scratch.make_array<std::int64_t>(50'000);
  EXPECT_GE(budget.taken_bytes(), 400'000U);
  EXPECT_TRUE(scratch.stop().check());
  const Array<std::int64_t> does_not = scratch.make_array<std::int64_t>(100'000);
  const base::Status status = scratch.stop().check();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), base::ErrorCode::kResourceExhausted);
  EXPECT_THAT(status.error().message(), HasSubstr("--max_request_memory"));
  EXPECT_EQ(status.error().where(), "node");
}

TEST(RowBudgetTest, LIM3_AnOperatorThatFailedGivesItsMemoryBack) {
  RowBudget budget;
  budget.open({.bytes_max = 1'000'000});
  RowScratch scratch;
  scratch.set_stop(check_of(budget));
  static_cast<void>(scratch.make_array<std::int64_t>(50'000));
  static_cast<void>(scratch.make_array<std::int64_t>(100'000));
  scratch.give_back();
  EXPECT_EQ(budget.taken_bytes(), 0U);
  scratch.set_stop(check_of(budget));
  EXPECT_TRUE(scratch.stop().check());
}

TEST(RowBudgetTest, LIM1_AJoinAsksBeforeItTakesMemory) {
  RowBudget budget;
  budget.open({.rows_max = 10'000});
  RowScratch scratch;
  scratch.set_stop(check_of(budget));
  const RowSet rows = rows_of_one_group(2'000);  // joined with itself: 4 000 000
  const std::vector<JoinKey> keys{{.left = "group", .right = "group"}};
  const auto joined = join(rows, rows, {.keys = keys, .right_prefix = "r_"}, scratch);
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code(), base::ErrorCode::kResourceExhausted);
  EXPECT_THAT(joined.error().message(), HasSubstr("--max_rows allows, 10000"));
  EXPECT_THAT(joined.error().message(), HasSubstr("4000000"));
  EXPECT_LT(budget.taken_bytes(), 1'000'000U);
}

TEST(RowBudgetTest, LIM1_AConcatAsksBeforeItTakesMemory) {
  RowBudget budget;
  budget.open({.rows_max = 10'000});
  RowScratch scratch;
  scratch.set_stop(check_of(budget));
  const std::vector<RowSet> inputs(6, rows_of_one_group(2'000));
  const auto all = concat(inputs, ConcatTags(), scratch);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code(), base::ErrorCode::kResourceExhausted);
  EXPECT_TRUE(concat(std::span(inputs).first(5), ConcatTags(), scratch));
}

}  // namespace
}  // namespace millrace::rows
