#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using tasks::testing::ids_of;
using tasks::testing::num;
using tasks::testing::Table;
using tasks::testing::to_table;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kFanOutData =
    "RPUSH follow:1 10 11\nRPUSH follow:3 30 10\nHSET follow:4 a b\n"
    "RPUSH follow:5 7 x9 8\n";

TEST(FanOutTest, TSK5_OrderIsByRowThenByPlaceInTheList) {
  StoreRig rig(kFanOutData);
  const auto rows = rig.run({.op = "follow",
                             .params = {{"endpoint", StoreRig::endpoint()}},
                             .inputs = {rig.ids({3, 2, 1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(30, 10, 10, 11));
  EXPECT_THAT(to_table(rows.value()).column("parent_id"), ElementsAre(3, 3, 1, 1));
}

TEST(FanOutTest, E1_TSK5_TakesAlongWhatItIsToldTo) {
  StoreRig rig(kFanOutData);
  const auto rows = rig.run({.op = "follow",
                             .params = {{"endpoint", StoreRig::endpoint()}},
                             .inputs = {rig.scored({{1, 0.5}, {3, 0.7}})},
                             .taken_columns = {{.to = "boost", .from = "score"}}});
  const Table table = to_table(rows.value());
  EXPECT_THAT(table.names, ElementsAre("id", "parent_id", "boost"));
  EXPECT_THAT(table.column("boost"), ElementsAre(0.5, 0.5, 0.7, 0.7));
}

TEST(FanOutTest, E1_TSK5_TakesNoOtherColumn) {
  StoreRig rig(kFanOutData);
  const auto rows = rig.run({.op = "follow",
                             .params = {{"endpoint", StoreRig::endpoint()}},
                             .inputs = {rig.scored({{1, 0.5}})}});
  EXPECT_THAT(to_table(rows.value()).names, ElementsAre("id", "parent_id"));
}

TEST(FanOutTest, CMP2_NeedsOneRoundTripWhateverTheRows) {
  StoreRig rig(kFanOutData);
  ASSERT_TRUE(rig.run({.op = "follow",
                       .params = {{"endpoint", StoreRig::endpoint()}},
                       .inputs = {rig.ids({1, 2, 3, 1, 2, 3})}})
                  .has_value());
  EXPECT_EQ(rig.client.counters().round_trips, 1);
  EXPECT_EQ(rig.client.counters().commands, 6);
  EXPECT_EQ(rig.stats.store_round_trips, 1);
  EXPECT_EQ(rig.stats.store_commands, 6);
}

TEST(FanOutTest, AsksNothingForNoRows) {
  StoreRig rig(kFanOutData);
  const auto rows = rig.run(
      {.op = "follow", .params = {{"endpoint", StoreRig::endpoint()}}, .inputs = {rig.ids({})}});
  EXPECT_TRUE(rows.value().empty());
  EXPECT_EQ(rig.client.counters().commands, 0);
}

TEST(FanOutTest, ItemThatIsNoIdNamesKeyAndPosition) {
  StoreRig rig(kFanOutData);
  const auto rows = rig.run({.op = "follow",
                             .params = {{"endpoint", StoreRig::endpoint()}},
                             .inputs = {rig.ids({1, 5})}});
  EXPECT_EQ(rows.error().code(), base::ErrorCode::kNodeFailed);
  EXPECT_EQ(rows.error().where(), "follow:5[1]");
  const auto prefix = rig.run({.op = "follow",
                               .params = {{"endpoint", StoreRig::endpoint()}, {"fanout", num(1)}},
                               .inputs = {rig.ids({5})}});
  EXPECT_THAT(ids_of(prefix.value()), ElementsAre(7));
}

TEST(FanOutTest, KeyOfAnotherTypeFailsAndNamesIt) {
  StoreRig rig(kFanOutData);
  const auto rows = rig.run(
      {.op = "follow", .params = {{"endpoint", StoreRig::endpoint()}}, .inputs = {rig.ids({4})}});
  EXPECT_THAT(rows.error().message(), HasSubstr("WRONGTYPE"));
  EXPECT_EQ(rows.error().where(), "follow:4");
}

TEST(FanOutTest, CLI4_EndpointWithoutClientIsAStructuredError) {
  StoreRig rig(kFanOutData);
  rig.clients.clear();
  const auto rows = rig.run(
      {.op = "follow", .params = {{"endpoint", StoreRig::endpoint()}}, .inputs = {rig.ids({1})}});
  EXPECT_EQ(rows.error().code(), base::ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace millrace::stores::testing
