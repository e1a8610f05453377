#include "tasks/param_field.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "tasks/endpoint_client.h"
#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

TEST(ParamFieldTest, TSK4_PatternIsCutAtItsName) {
  const KeyPatternParam pattern = parse_key_pattern("follow:{id}:x").value();
  EXPECT_EQ(pattern.prefix, "follow:");
  EXPECT_EQ(pattern.name, "id");
  EXPECT_EQ(pattern.suffix, ":x");
  EXPECT_EQ(std::get<std::string>(ParamField<KeyPatternParam>::to_value(pattern)), "follow:{id}:x");
}

TEST(ParamFieldTest, TSK4_PatternNeedsExactlyOneName) {
  for (const char* bad : {"follow", "a{}", "{a}{b}", "}a{", "{a", "a}"}) {
    EXPECT_FALSE(parse_key_pattern(bad).has_value()) << bad;
  }
}

TEST(ParamFieldTest, ValueOfAnotherTypeIsADefectThatNamesTheParam) {
  TaskRig rig;
  const auto node =
      rig.prepare({.op = "take", .params = {{"count", text("2")}}, .inputs = {rig.ids({1})}});
  EXPECT_EQ(node.error().code(), base::ErrorCode::kInternal);
  EXPECT_EQ(node.error().where(), "n.params.count");
}

TEST(ParamFieldTest, OutKeyMustBeRegistered) {
  TaskRig rig;
  rig.load.key_type = [](std::string_view) { return std::optional<rows::ColumnType>(); };
  const auto node = rig.prepare({.op = "vm",
                                 .params = {{"out_key", text("x")}, {"expr", expression("id")}},
                                 .inputs = {rig.ids({1})}});
  EXPECT_EQ(node.error().code(), base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace millrace::tasks::testing
