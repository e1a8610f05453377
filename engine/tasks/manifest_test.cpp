#include "tasks/manifest.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::HasSubstr;

TEST(ManifestTest, TSK2_SaysAllOfATask) {
  const TaskRig rig;
  EXPECT_THAT(
      make_manifest(rig.registry),
      HasSubstr(R"({"op":"take","aliases":[],"doc":"Keeps the first `count` rows.","kind":"cheap",)"
                R"("inputs_min":1,"inputs_max":1,"params":[{"name":"count","type":"int",)"
                R"("required":true,"default":null,"minimum":0,"doc":"How many rows to keep"}],)"
                R"("output":{"columns":"first_input","rows":"subset"},"reads":[],"writes":[],)"
                R"("writes_on_demand":false,"keys_param":"","can_fail":false,"shareable":true,)"
                R"("cost_fixed_ns":0,"cost_per_row_ns":0})"));
}

TEST(ManifestTest, TSK2_DefaultsAndChoicesAreValues) {
  const TaskRig rig;
  const std::string manifest = make_manifest(rig.registry);
  EXPECT_THAT(manifest, HasSubstr(R"("default":["id"])"));
  EXPECT_THAT(manifest, HasSubstr(R"("default":"inner","choices":["inner","left","semi","anti"])"));
}

TEST(ManifestTest, TSK2_TasksAreInOrderOfOp) {
  const TaskRig rig;
  const std::string manifest = make_manifest(rig.registry);
  EXPECT_LT(manifest.find(R"("op":"busy_cpu")"), manifest.find(R"("op":"concat")"));
  EXPECT_LT(manifest.find(R"("op":"take")"), manifest.find(R"("op":"vm")"));
}

}  // namespace
}  // namespace millrace::tasks::testing
