#include <cstdint>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/compiled_plan.h"
#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using tasks::testing::Table;
using tasks::testing::text;
using tasks::testing::to_table;
using ::testing::ElementsAre;

constexpr std::string_view kData = "HSET user:7 country DE age 31 premium 1\nHSET device:x age 5\n";
const std::vector<plan::FetchedKey> kKeys{{.key = "age", .type = rows::ColumnType::kInt64},
                                          {.key = "country", .type = rows::ColumnType::kString},
                                          {.key = "premium", .type = rows::ColumnType::kBool}};

TEST(ViewerTest, TSK7_GivesOneRowWithTheRegisteredFields) {
  StoreRig rig(kData);
  rig.request.user_id = 7;
  const auto rows = rig.run(
      {.op = "viewer", .params = {{"endpoint", StoreRig::endpoint()}}, .fetched_keys = kKeys});
  const Table table = to_table(rows.value());
  EXPECT_THAT(table.names, ElementsAre("id", "age", "country", "premium"));
  EXPECT_THAT(table.rows.at(0), ElementsAre(7, 31, "DE", true));
}

TEST(ViewerTest, UserWithoutProfileIsARowOfNulls) {
  StoreRig rig(kData);
  rig.request.user_id = 8;
  const auto rows = rig.run(
      {.op = "viewer", .params = {{"endpoint", StoreRig::endpoint()}}, .fetched_keys = kKeys});
  using rows::testing::kNull;
  EXPECT_THAT(to_table(rows.value()).rows.at(0), ElementsAre(8, kNull, kNull, kNull));
}

TEST(ViewerTest, TSK4_PatternMayNameAnotherFieldOfTheRequest) {
  StoreRig rig(kData);
  plan::CompiledPlan plan;
  plan.request_fields = {{.name = "page"}, {.name = "device"}};
  rig.load.plan = &plan;
  const std::vector<rows::Value> fields{std::int64_t{1}, std::string_view("x")};
  rig.request.fields = fields;
  const auto rows =
      rig.run({.op = "viewer",
               .params = {{"endpoint", StoreRig::endpoint()}, {"pattern", text("device:{device}")}},
               .fetched_keys = {{.key = "age", .type = rows::ColumnType::kInt64}}});
  EXPECT_THAT(to_table(rows.value()).column("age"), ElementsAre(5));
}

TEST(ViewerTest, ART8_PatternOfAnUnknownFieldIsRefusedAtLoad) {
  StoreRig rig(kData);
  const auto node = rig.prepare(
      {.op = "viewer",
       .params = {{"endpoint", StoreRig::endpoint()}, {"pattern", text("device:{device}")}}});
  EXPECT_EQ(node.error().code(), base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace millrace::stores::testing
