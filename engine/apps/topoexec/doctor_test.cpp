#include "apps/topoexec/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "graph/compile/component_registry.h"

namespace millrace::topoexec {
namespace {

using ::testing::HasSubstr;

TEST(TopoexecDoctorTest, ListsTypesLimitsAndTheMachine) {
  EXPECT_THAT(doctor_report(graph::builtin_registry(), false), HasSubstr("core.relax"));
  EXPECT_THAT(doctor_report(graph::builtin_registry(), false),
              HasSubstr("target: where x goes (required)"));
  const auto json = base::read_json(doctor_report(graph::builtin_registry(), true));
  ASSERT_TRUE(json);
  EXPECT_EQ(json->root().find_member("limits")->find_member("max_components")->find_int(), 4096);
  EXPECT_EQ(json->root().find_member("component_types")->size(), 15U);
  EXPECT_GT(*json->root().find_member("machine")->find_member("processors_allowed")->find_int(), 0);
}

}  // namespace
}  // namespace millrace::topoexec
