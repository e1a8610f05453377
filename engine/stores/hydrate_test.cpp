#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using tasks::testing::ids_of;
using tasks::testing::Table;
using tasks::testing::text;
using tasks::testing::to_table;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kHydrateData =
    "HSET item:1 title \"a b\" likes 7 hot true\nHSET item:2 likes seven title c\n";
const std::vector<plan::FetchedKey> kKeys{{.key = "likes", .type = rows::ColumnType::kInt64},
                                          {.key = "title", .type = rows::ColumnType::kString}};
const std::map<std::string, plan::ParamValue> kParams{{"endpoint", StoreRig::endpoint()},
                                                      {"prefix", text("item")}};

TEST(HydrateTest, TSK7_FetchesTheKeysThatAreRead) {
  StoreRig rig(kHydrateData);
  const auto rows = rig.run(
      {.op = "hydrate", .params = kParams, .inputs = {rig.ids({9, 1})}, .fetched_keys = kKeys});
  const Table table = to_table(rows.value());
  EXPECT_THAT(table.names, ElementsAre("id", "likes", "title"));
  EXPECT_THAT(table.column("likes"), ElementsAre(rows::testing::kNull, 7));
  EXPECT_THAT(table.column("title"), ElementsAre(rows::testing::kNull, "a b"));
  EXPECT_EQ(rig.client.counters().round_trips, 1);
}

TEST(HydrateTest, CMP2_AsksNothingWhenNothingIsRead) {
  StoreRig rig(kHydrateData);
  const auto rows = rig.run({.op = "hydrate", .params = kParams, .inputs = {rig.ids({1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(1));
  EXPECT_EQ(rig.client.counters().commands, 0);
}

TEST(HydrateTest, EXP7_ValueOfAnotherTypeIsNullAndCounted) {
  StoreRig rig(kHydrateData);
  const auto rows = rig.run(
      {.op = "hydrate", .params = kParams, .inputs = {rig.ids({2})}, .fetched_keys = kKeys});
  EXPECT_THAT(to_table(rows.value()).column("likes"), ElementsAre(rows::testing::kNull));
  EXPECT_THAT(to_table(rows.value()).column("title"), ElementsAre("c"));
  EXPECT_EQ(rig.stats.row_errors, 1);
  EXPECT_THAT(rig.stats.first_row_error, HasSubstr("likes"));
}

TEST(HydrateTest, EXP7_DropsOrFailsWhenToldTo) {
  StoreRig rig(kHydrateData);
  const auto run = [&](plan::RowErrorRule rule) {
    return rig.run({.op = "hydrate",
                    .params = kParams,
                    .inputs = {rig.ids({1, 2, 9})},
                    .fetched_keys = kKeys,
                    .on_row_error = rule});
  };
  EXPECT_THAT(ids_of(run(plan::RowErrorRule::kDrop).value()), ElementsAre(1, 9));
  EXPECT_FALSE(run(plan::RowErrorRule::kFail).has_value());
}

TEST(HydrateTest, WritesOnlyRowsOfTheSelection) {
  StoreRig rig(kHydrateData);
  const rows::RowSet all = rig.ids({2, 1, 9});
  const auto rows = rig.run(
      {.op = "hydrate", .params = kParams, .inputs = {all.window(1, 2)}, .fetched_keys = kKeys});
  EXPECT_THAT(to_table(rows.value()).column("likes"), ElementsAre(7, rows::testing::kNull));
  EXPECT_EQ(rig.client.counters().commands, 2);
}

TEST(HydrateTest, LIM5_ManyRowsAreHydratedOnAWorker) {
  StoreRig rig(kHydrateData);
  std::vector<std::int64_t> ids(3000, 9);
  ids.back() = 1;
  const auto run =
      rig.start(
             {.op = "hydrate", .params = kParams, .inputs = {rig.ids(ids)}, .fetched_keys = kKeys})
          .value();
  EXPECT_FALSE(run->outcome.is_done());
  EXPECT_FALSE(rig.loop.has_ready()) << "the loop is free meanwhile";
  rig.settle();
  const Table table = to_table(run->outcome.value().value());
  ASSERT_EQ(table.rows.size(), 3000U);
  EXPECT_EQ(table.column("title").back(), rows::testing::Cell("a b"));
  EXPECT_EQ(table.column("likes").front(), rows::testing::kNull);
  EXPECT_EQ(run->stats.store_round_trips, 1U);
}

}  // namespace
}  // namespace millrace::stores::testing
