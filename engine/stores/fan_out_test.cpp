#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

/// Lists of 100 items for ids 1 to `count`.
std::string many_lists(int count) {
  std::string data;
  for (int id = 1; id <= count; ++id) {
    data += "RPUSH follow:" + std::to_string(id);
    for (int item = 0; item < 100; ++item) data += " " + std::to_string(1000 * id + item);
    data += "\n";
  }
  return data;
}

std::vector<std::int64_t> ids_up_to(std::int64_t count) {
  std::vector<std::int64_t> ids;
  for (std::int64_t id = 1; id <= count; ++id) ids.push_back(id);
  return ids;
}

/// The node `follow` for ids 1 to `count`, of which 200 have a list.
tasks::testing::NodeSetup follow_of(StoreRig& rig, std::int64_t count) {
  return {.op = "follow",
          .params = {{"endpoint", StoreRig::endpoint()}},
          .inputs = {rig.ids(ids_up_to(count))}};
}

TEST(FanOutTest, LIM5_WhatIsShortIsDoneOnTheLoop) {
  StoreRig rig(many_lists(200));
  // Asks for up to 20 000 items, and gets 16 300.
  const auto run = rig.start(follow_of(rig, 163)).value();
  EXPECT_TRUE(run->outcome.is_done());
  EXPECT_FALSE(rig.workers.has_ready());
  EXPECT_EQ(run->outcome.value()->size(), 16'300U);
}

TEST(FanOutTest, LIM5_WhatIsLongIsDoneOnAWorkerWithTheSameRows) {
  StoreRig rig(many_lists(200));
  // Long lists, and so many rows that making their keys is long.
  for (const std::int64_t count : {200, 5000}) {
    const auto run = rig.start(follow_of(rig, count)).value();
    EXPECT_FALSE(run->outcome.is_done());
    EXPECT_FALSE(rig.loop.has_ready()) << "the loop is free meanwhile";
    // The loop only passes on: keys, answer and rows are each made on a worker.
    int turns = 0;
    for (; rig.workers.run_ready() > 0; ++turns) static_cast<void>(rig.loop.run_ready());
    EXPECT_EQ(turns, count == 200 ? 2 : 3);
    ASSERT_TRUE(run->outcome.is_done());
    const rows::RowSet rows = run->outcome.value().value();
    ASSERT_EQ(rows.size(), 20'000U);
    EXPECT_EQ(ids_of(rows).front(), 1000);
    EXPECT_EQ(ids_of(rows).back(), 200'099);
    EXPECT_EQ(to_table(rows).column("parent_id").back(), rows::testing::Cell(200));
    EXPECT_EQ(run->stats.store_round_trips, 1U);
  }
  EXPECT_EQ(rig.client.counters().commands, 5200U);
}

TEST(FanOutTest, LIM5_WorkOnAWorkerIsGivenUpWhenTheRunIsOver) {
  StoreRig rig(many_lists(200));
  const auto run = rig.start(follow_of(rig, 5000)).value();
  rig.stop.request_stop();
  rig.settle();
  ASSERT_TRUE(run->outcome.is_done());
  EXPECT_EQ(run->outcome.value().error().code(), base::ErrorCode::kCancelled);
  EXPECT_EQ(rig.client.counters().commands, 0U) << "the keys were not even made";
}

}  // namespace
}  // namespace millrace::stores::testing
