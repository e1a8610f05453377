#include "stores/store_task.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rows/stop_fixture.h"
#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using tasks::testing::Table;
using tasks::testing::to_rows;

TEST(StoreTaskTest, KeysAreMadeOfIntsAndStrings) {
  tasks::TaskScratch scratch;
  const Table table{.names = {"id", "name"},
                    .types = {rows::ColumnType::kInt64, rows::ColumnType::kString},
                    .rows = {{-5, "x"}, {INT64_MIN, rows::testing::kNull}, {7, "long name"}}};
  const rows::RowSet rows = to_rows(table, scratch.rows());
  const RowKeys ids =
      make_row_keys(
          rows, {.prefix = "a:", .places = {{.name = "id", .suffix = ":z"}}}, scratch.rows())
          .value();
  EXPECT_EQ(ids.keys.size(), 3);
  EXPECT_EQ(ids.keys[0], "a:-5:z");
  EXPECT_EQ(ids.keys[1], "a:-9223372036854775808:z");
  const RowKeys names =
      make_row_keys(
          rows, {.prefix = "n:", .places = {{.name = "name", .suffix = ""}}}, scratch.rows())
          .value();
  EXPECT_EQ(names.keys.size(), 2);
  EXPECT_EQ(names.keys[1], "n:long name");
  EXPECT_EQ(names.rows[1], 2);
}

TEST(StoreTaskTest, TSK4_APatternMayHaveSeveralNamesOrNone) {
  tasks::testing::TaskRig rig;
  using rows::testing::kNull;
  const rows::RowSet rows =
      rows::testing::to_rows({.names = {"id", "country"},
                              .types = {rows::ColumnType::kInt64, rows::ColumnType::kString},
                              .rows = {{1, "de"}, {2, kNull}, {3, "fr"}}},
                             rig.scratch.rows());
  const RowKeys two =
      make_row_keys(
          rows,
          {.prefix = "f:",
           .places = {{.name = "country", .suffix = ":"}, {.name = "id", .suffix = ":x"}}},
          rig.scratch.rows())
          .value();
  ASSERT_EQ(two.keys.size(), 2U);
  EXPECT_EQ(two.keys[0], "f:de:1:x");
  EXPECT_EQ(two.keys[1], "f:fr:3:x");
  EXPECT_EQ(two.rows[1], 2U);
  const RowKeys none =
      make_row_keys(rows, {.prefix = "trending", .places = {}}, rig.scratch.rows()).value();
  ASSERT_EQ(none.keys.size(), 3U);
  EXPECT_EQ(none.keys[2], "trending");
}

TEST(StoreTaskTest, REQ10_AMissingClientIsNamedByItsEndpoint) {
  StoreRig rig("");
  rig.clients = {nullptr};
  rig.load.endpoint_name = [](plan::EndpointId) { return std::string("redis_default"); };
  const auto rows = rig.run(
      {.op = "follow", .params = {{"endpoint", StoreRig::endpoint()}}, .inputs = {rig.ids({1})}});
  ASSERT_FALSE(rows.has_value());
  EXPECT_EQ(rows.error().code(), base::ErrorCode::kUnavailable);
  EXPECT_THAT(rows.error().message(), ::testing::HasSubstr("'redis_default'"));
}

TEST(StoreTaskTest, KeysGrowWithLongValues) {
  tasks::TaskScratch scratch;
  const std::string value(5000, 'v');
  KeyListBuilder builder(scratch.rows(), "p", "s", 2);
  builder.add(value);
  builder.add(value);
  const KeyList keys = builder.finish();
  EXPECT_EQ(keys[0], "p" + value + "s");
  EXPECT_EQ(keys[1], keys[0]);
}

TEST(StoreTaskTest, KeyOfAFloatIsRefused) {
  tasks::testing::TaskRig rig;
  const auto keys = make_row_keys(rig.scored({{1, 0.5}}),
                                  {.prefix = "a", .places = {{.name = "score", .suffix = ""}}},
                                  rig.scratch.rows());
  EXPECT_EQ(keys.error().code(), base::ErrorCode::kInvalidPlan);
}

TEST(StoreTaskTest, C2_MakingKeysAndColumnsLooksAtTheStop) {
  tasks::testing::TaskRig rig;
  const rows::RowSet rows = rig.ids(std::vector<std::int64_t>(5000, 7));
  rows::RowScratch& scratch = rig.scratch.rows();
  const tasks::KeyPatternParam pattern{.prefix = "a", .places = {{.name = "id", .suffix = ""}}};
  rows::testing::StopAtLook keys_stop(2);
  scratch.set_stop(keys_stop.check());
  EXPECT_EQ(make_row_keys(rows, pattern, scratch).error().code(), base::ErrorCode::kCancelled);
  EXPECT_EQ(keys_stop.look_count(), 3U);
  scratch.set_stop({});
  const RowKeys keys = make_row_keys(rows, pattern, scratch).value();
  const std::vector<std::string_view> texts(5000, "1");
  rows::testing::StopAtLook stop(2);
  scratch.set_stop(stop.check());
  ParseErrors errors;
  static_cast<void>(parse_column(rows::ColumnType::kInt64,
                                 {.texts = texts, .rows = keys.rows.span(), .batch_rows = 5000},
                                 scratch,
                                 errors));
  EXPECT_EQ(stop.look_count(), 3U);
  scratch.set_stop({});
}

}  // namespace
}  // namespace millrace::stores::testing
