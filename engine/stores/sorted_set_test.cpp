#include <cstdint>
#include <string>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using tasks::testing::ids_of;
using tasks::testing::num;
using tasks::testing::text;
using tasks::testing::to_table;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SortedSetTest, TSK7_ReadsOneSortedSetPerRowFromTheLowestScore) {
  StoreRig rig("ZADD top:1 3 7 1 8 2 9\nZADD top:3 5 30\n");
  const auto rows = rig.run({.op = "sorted_set",
                             .params = {{"endpoint", StoreRig::endpoint()},
                                        {"pattern", text("top:{id}")},
                                        {"fanout", num(2)}},
                             .inputs = {rig.ids({3, 2, 1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(30, 8, 9));
  EXPECT_THAT(to_table(rows.value()).names, ElementsAre("id", "parent_id"));
  EXPECT_THAT(to_table(rows.value()).column("parent_id"), ElementsAre(3, 1, 1));
}

TEST(SortedSetTest, TSK7_TakesTheHighestScoresFirstAndKeepsThem) {
  StoreRig rig("ZADD top:1 3 7 1 8 2.5 9 1 10\n");
  const auto rows = rig.run({.op = "sorted_set",
                             .params = {{"endpoint", StoreRig::endpoint()},
                                        {"pattern", text("top:{id}")},
                                        {"order", text("desc")},
                                        {"with_scores", text("score")}},
                             .inputs = {rig.ids({1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(7, 9, 8, 10));
  EXPECT_THAT(to_table(rows.value()).column("score"), ElementsAre(3.0, 2.5, 1.0, 1.0));
}

TEST(SortedSetTest, TSK7_EqualScoresAreByTheTextOfTheId) {
  StoreRig rig("ZADD z 1 9 1 10 1 2\n");
  const auto rows = rig.run({.op = "sorted_set",
                             .params = {{"endpoint", StoreRig::endpoint()}, {"pattern", text("z")}},
                             .inputs = {rig.ids({1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(10, 2, 9));
}

TEST(SortedSetTest, EXP7_AScoreThatIsNotFiniteIsNullAndARowError) {
  StoreRig rig("ZADD z 1 9 inf 10 -inf 2\n");
  tasks::testing::NodeSetup node{.op = "sorted_set",
                                 .params = {{"endpoint", StoreRig::endpoint()},
                                            {"pattern", text("z")},
                                            {"with_scores", text("score")}},
                                 .inputs = {rig.ids({1})}};
  const auto rows = rig.run(node);
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(2, 9, 10));
  EXPECT_THAT(to_table(rows.value()).column("score"),
              ElementsAre(rows::testing::kNull, 1.0, rows::testing::kNull));
  EXPECT_EQ(rig.stats.row_errors, 2);
  EXPECT_THAT(rig.stats.first_row_error, HasSubstr("A score is not finite: score"));
}

TEST(SortedSetTest, RED6_OtherTypesAndMembersThatAreNoIdsFailTheNode) {
  StoreRig rig("ZADD z 1 9 2 x\nRPUSH l 1\n");
  const auto error_of = [&](const char* pattern, std::int64_t fanout) {
    const auto rows = rig.run({.op = "sorted_set",
                               .params = {{"endpoint", StoreRig::endpoint()},
                                          {"pattern", text(pattern)},
                                          {"fanout", num(fanout)}},
                               .inputs = {rig.ids({1})}});
    return rows ? std::string() : rows.error().message();
  };
  EXPECT_THAT(error_of("l", 5), HasSubstr("WRONGTYPE"));
  EXPECT_THAT(
      error_of("z", 2),
      HasSubstr("An item of a sorted set is no 64-bit integer: key z, position 1, value x"));
  EXPECT_EQ(error_of("z", 1), "");
}

}  // namespace
}  // namespace millrace::stores::testing
