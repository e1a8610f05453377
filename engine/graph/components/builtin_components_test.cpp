#include "graph/components/builtin_components.h"

#include <gtest/gtest.h>

#include "graph/body/component.h"
#include "graph/compile/builtin_types.h"
#include "graph/compile/descriptor.h"

namespace millrace::graph {
namespace {

TEST(BuiltinComponents, EveryBuiltInTypeCanBeMade) {
  for (const ComponentDescriptor& descriptor : builtin_types()) {
    const ComponentFactory factory = builtin_factory(descriptor.type);
    ASSERT_TRUE(factory) << descriptor.type;
    EXPECT_NE(factory(), nullptr);
  }
  EXPECT_FALSE(builtin_factory("core.none"));
}

}  // namespace
}  // namespace millrace::graph
