#include "base/plugin_object.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"

namespace millrace::base {
namespace {

using ::testing::HasSubstr;

TEST(PluginObjectTest, WhatIsNoSharedObjectOrLacksTheSymbolIsNamed) {
  const auto use = [](const void*) { return Status(); };
  const Status missing = use_plugin("/nowhere/plugin.so", "symbol", use);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message(), HasSubstr("Cannot load the plugin"));
  EXPECT_EQ(missing.error().where(), "/nowhere/plugin.so");
}

TEST(PluginObjectTest, WhatAPluginThrowsBecomesAnError) {
  EXPECT_TRUE(call_plugin([] { return Status(); }));
  const Status thrown = call_plugin([] {
    static_cast<void>(std::vector<int>().at(1));
    return Status();
  });
  ASSERT_FALSE(thrown);
  EXPECT_THAT(thrown.error().message(), HasSubstr("threw an exception"));
}

}  // namespace
}  // namespace millrace::base
