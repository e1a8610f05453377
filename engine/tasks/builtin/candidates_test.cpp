#include <cstdint>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/request_candidates.h"
#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CandidatesTest, TSK7_GivesTheRowsOfTheRequestInItsOrder) {
  TaskRig rig;
  RequestCandidates given;
  for (const std::int64_t id : {7, 3, 7}) given.add_row(id);
  rig.request.candidates = &given;
  const auto rows = rig.run({.op = "candidates"});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(7, 3, 7));
  EXPECT_EQ(rows->batch()->columns().size(), 1U);
}

TEST(CandidatesTest, TSK7_TakesTheKeysThatAreReadAndNullWhereARowLacksThem) {
  TaskRig rig;
  RequestCandidates given;
  given.add_row(1);
  given.add_row(2);
  given.set("score", 2.5);
  given.set("likes", std::int64_t{9});
  given.set("name", std::string_view("two"));
  given.add_row(3);
  given.set("score", std::int64_t{4});
  given.set("verified", true);
  given.set("name", rows::Value());
  given.add_row(4);
  rig.request.candidates = &given;
  const auto rows = rig.run({.op = "candidates",
                             .fetched_keys = {{"score", rows::ColumnType::kFloat64},
                                              {"likes", rows::ColumnType::kInt64},
                                              {"verified", rows::ColumnType::kBool},
                                              {"name", rows::ColumnType::kString},
                                              {"age", rows::ColumnType::kInt64}}});
  const Table table = to_table(rows.value());
  const rows::testing::Cell null;
  EXPECT_THAT(table.column("score"), ElementsAre(null, 2.5, 4.0, null));
  EXPECT_THAT(table.column("likes"), ElementsAre(null, 9, null, null));
  EXPECT_THAT(table.column("verified"), ElementsAre(null, null, true, null));
  EXPECT_THAT(table.column("name"), ElementsAre(null, "two", null, null));
  EXPECT_THAT(table.column("age"), ElementsAre(null, null, null, null));
}

TEST(CandidatesTest, C2_StopsBetweenColumns) {
  TaskRig rig;
  RequestCandidates given;
  given.add_row(1);
  rig.request.candidates = &given;
  rig.stop.request_stop();
  const auto rows =
      rig.run({.op = "candidates", .fetched_keys = {{"likes", rows::ColumnType::kInt64}}});
  EXPECT_EQ(rows.error().code(), base::ErrorCode::kCancelled);
}

TEST(CandidatesTest, TSK7_NoneIsNoRowsAndALackOfThemFails) {
  TaskRig rig;
  EXPECT_THAT(rig.run({.op = "candidates"}).error().to_string(),
              HasSubstr("The request has no `candidates`"));
  const RequestCandidates none;
  rig.request.candidates = &none;
  EXPECT_TRUE(rig.run({.op = "candidates", .fetched_keys = {{"score", rows::ColumnType::kFloat64}}})
                  ->empty());
}

}  // namespace
}  // namespace millrace::tasks::testing
