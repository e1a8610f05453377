#include <cstdint>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using tasks::testing::ids_of;
using tasks::testing::num;
using tasks::testing::text;
using ::testing::ElementsAre;

TEST(RecommendationTest, TSK7_ReadsOneListPerRowByDefaultKey) {
  StoreRig rig("RPUSH recommendation:1 10 11 12\nRPUSH recommendation:3 30\n");
  const auto rows = rig.run({.op = "recommendation",
                             .params = {{"endpoint", StoreRig::endpoint()}, {"fanout", num(2)}},
                             .inputs = {rig.ids({3, 2, 1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(30, 10, 11));
}

TEST(RecommendationTest, TSK4_KeyPatternIsAParam) {
  StoreRig rig("RPUSH x:1:y 5\n");
  const auto rows =
      rig.run({.op = "recommendation",
               .params = {{"endpoint", StoreRig::endpoint()}, {"pattern", text("x:{id}:y")}},
               .inputs = {rig.ids({1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(5));
}

TEST(RecommendationTest, TSK7_FanoutIs100ByDefault) {
  const StoreRig rig("");
  const plan::TaskSpec* spec = rig.registry.find_task("recommendation");
  EXPECT_EQ(spec->params.at(2).name, "fanout");
  EXPECT_EQ(std::get<std::int64_t>(spec->params.at(2).fallback), 100);
}

}  // namespace
}  // namespace millrace::stores::testing
