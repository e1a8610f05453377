#include "apps/topoexec/component_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/topoexec/commands.h"
#include "apps/topoexec/flags.h"

namespace millrace::topoexec {
namespace {

using ::testing::HasSubstr;

TEST(TopoexecTypesTest, ThereAreTheBuiltInTypes) {
  const auto types = component_types({});
  ASSERT_TRUE(types);
  EXPECT_NE(types->find("core.counter"), nullptr);
  EXPECT_NE(types->find("core.map"), nullptr);
}

TEST(TopoexecTypesTest, APluginThatCannotBeLoadedIsWrongUsage) {
  Flags flags;
  flags.plugins = {"/nowhere.so"};
  EXPECT_FALSE(component_types(flags));
  const Outcome outcome = run_command(flags);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/nowhere.so: Cannot load the plugin"));
}

}  // namespace
}  // namespace millrace::topoexec
