#include <cstdint>
#include <string>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using tasks::testing::ids_of;
using tasks::testing::num;
using tasks::testing::text;
using tasks::testing::to_table;
using ::testing::ElementsAre;

class PresetTest : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static std::string op() { return GetParam(); }
};

TEST_P(PresetTest, TSK7_ReadsOneListPerRowByDefaultKey) {
  StoreRig rig("RPUSH " + op() + ":1 10 11 12\nRPUSH " + op() + ":3 30\n");
  const auto rows = rig.run({.op = op(),
                             .params = {{"endpoint", StoreRig::endpoint()}, {"fanout", num(2)}},
                             .inputs = {rig.ids({3, 2, 1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(30, 10, 11));
}

TEST_P(PresetTest, TSK4_KeyPatternIsAParam) {
  StoreRig rig("RPUSH x:1:y 5\n");
  const auto rows =
      rig.run({.op = op(),
               .params = {{"endpoint", StoreRig::endpoint()}, {"pattern", text("x:{id}:y")}},
               .inputs = {rig.ids({1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(5));
}

TEST_P(PresetTest, TSK7_FanoutIs100ByDefault) {
  const StoreRig rig("");
  const plan::TaskSpec* spec = rig.registry.find_task(op());
  EXPECT_EQ(spec->params.at(2).name, "fanout");
  EXPECT_EQ(std::get<std::int64_t>(spec->params.at(2).fallback), 100);
}

INSTANTIATE_TEST_SUITE_P(ListTest,
                         PresetTest,
                         ::testing::Values("follow", "recommendation", "media"));

TEST(ListTest, TSK7_ReadsTheListThatThePatternNames) {
  StoreRig rig("RPUSH saved:1 7 8 9\nRPUSH saved:2 9\n");
  const auto rows = rig.run({.op = "list",
                             .params = {{"endpoint", StoreRig::endpoint()},
                                        {"pattern", text("saved:{id}")},
                                        {"fanout", num(2)}},
                             .inputs = {rig.ids({2, 1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(9, 7, 8));
  EXPECT_THAT(to_table(rows.value()).column("parent_id"), ElementsAre(2, 1, 1));
}

TEST(ListTest, TSK7_HasNoPatternOfItsOwn) {
  const StoreRig rig("");
  const plan::ParamSpec& pattern = rig.registry.find_task("list")->params.at(1);
  EXPECT_EQ(pattern.name, "pattern");
  EXPECT_TRUE(pattern.required);
}

}  // namespace
}  // namespace millrace::stores::testing
