#include "graph/compile/component_registry.h"

#include <gtest/gtest.h>

#include "graph/body/component.h"
#include "graph/compile/descriptor.h"

namespace millrace::graph {
namespace {

TEST(ComponentRegistryTest, FindsWhatWasAdded) {
  ComponentRegistry registry;
  ASSERT_TRUE(registry.add({.type = "a.B", .about = "", .outputs = {{.name = "out"}}}));
  ASSERT_NE(registry.find("a.B"), nullptr);
  EXPECT_EQ(registry.find("a.B")->outputs.size(), 1U);
  EXPECT_EQ(registry.find("a.C"), nullptr);
}

TEST(ComponentRegistryTest, RefusesWhatContradictsItselfAndStaysAsItWas) {
  ComponentRegistry registry;
  ASSERT_TRUE(registry.add({.type = "a", .about = ""}));
  EXPECT_FALSE(registry.add({.type = "a", .about = ""}));
  EXPECT_FALSE(registry.add({.type = "", .about = ""}));
  EXPECT_FALSE(registry.add({.type = "b", .about = "", .inputs = {{.name = "x"}, {.name = "x"}}}));
  EXPECT_FALSE(registry.add({.type = "b", .about = "", .outputs = {{.name = "x.y"}}}));
  EXPECT_EQ(registry.types().size(), 1U);
}

TEST(ComponentRegistryTest, HasTheBuiltInTypes) {
  const ComponentRegistry registry = builtin_registry();
  for (const char* type : {"core.counter",
                           "core.values",
                           "core.input",
                           "core.output",
                           "core.stdin",
                           "core.stdout",
                           "core.linear",
                           "core.collect",
                           "core.spend",
                           "core.fail",
                           "core.relax",
                           "core.task",
                           "core.table",
                           "core.meter"}) {
    EXPECT_NE(registry.find(type), nullptr) << type;
    EXPECT_NE(registry.make(type), nullptr) << type;
  }
  EXPECT_EQ(registry.make("core.none"), nullptr);
  EXPECT_EQ(registry.types().size(), 15U);
}

}  // namespace
}  // namespace millrace::graph
