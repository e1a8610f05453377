#include "tasks/param_field.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "tasks/endpoint_client.h"
#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

TEST(ParamFieldTest, TSK4_APatternIsReadFromItsTextAndWrittenAsIt) {
  for (const char* pattern : {"follow:{id}:x", "feed:{country}:{id}", "trending"}) {
    const auto read = ParamField<KeyPatternParam>::from_value(text(pattern), {});
    EXPECT_EQ(std::get<std::string>(ParamField<KeyPatternParam>::to_value(read.value())), pattern);
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
