#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using tasks::testing::text;
using tasks::testing::to_table;
using ::testing::ElementsAre;

constexpr std::string_view kLookupData =
    "SET quality:1 0.5\nSET quality:2 good\nRPUSH quality:3 1\n";

TEST(LookupTest, TSK7_FetchesOneColumnWithOneCommand) {
  StoreRig rig(kLookupData);
  const auto rows = rig.run({.op = "lookup",
                             .params = {{"endpoint", StoreRig::endpoint()},
                                        {"prefix", text("quality")},
                                        {"out_key", text("q")}},
                             .inputs = {rig.ids({1, 2, 3, 4})}});
  using rows::testing::kNull;
  EXPECT_THAT(to_table(rows.value()).column("q"), ElementsAre(0.5, kNull, kNull, kNull));
  EXPECT_EQ(rig.stats.row_errors, 1);
  EXPECT_EQ(rig.client.counters().commands, 1);
}

TEST(LookupTest, E3_FetchesWhateverTheRowsHaveAndTheLastWriterWins) {
  StoreRig rig("SET quality:1 0.5\n");
  const auto rows = rig.run({.op = "lookup",
                             .params = {{"endpoint", StoreRig::endpoint()},
                                        {"prefix", text("quality")},
                                        {"out_key", text("score")}},
                             .inputs = {rig.scored({{1, 0.75}, {2, 0.25}})}});
  // A missing string is null; it leaves no value of an earlier writer behind.
  EXPECT_THAT(to_table(rows.value()).column("score"), ElementsAre(0.5, rows::testing::kNull));
}

TEST(LookupTest, TSK7_TypeIsThatOfTheRegisteredKey) {
  StoreRig rig(kLookupData);
  rig.load.key_type = [](std::string_view) { return rows::ColumnType::kString; };
  const auto rows = rig.run({.op = "lookup",
                             .params = {{"endpoint", StoreRig::endpoint()},
                                        {"prefix", text("quality")},
                                        {"out_key", text("q")}},
                             .inputs = {rig.ids({2})}});
  EXPECT_THAT(to_table(rows.value()).column("q"), ElementsAre("good"));
}

}  // namespace
}  // namespace millrace::stores::testing
