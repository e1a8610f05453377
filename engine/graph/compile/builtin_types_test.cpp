#include "graph/compile/builtin_types.h"

#include <gtest/gtest.h>

#include "graph/compile/descriptor.h"
#include "graph/format/words.h"

namespace millrace::graph {
namespace {

TEST(BuiltinTypesTest, EveryTypeIsDescribed) {
  for (const ComponentDescriptor& descriptor : builtin_types()) {
    EXPECT_TRUE(descriptor.type.starts_with("core."));
    EXPECT_FALSE(descriptor.about.empty());
    const bool is_source = descriptor.role == BoundaryRole::kInput;
    const bool is_sink = descriptor.role == BoundaryRole::kOutput;
    EXPECT_EQ(descriptor.outputs.empty(), is_sink) << descriptor.type;
    EXPECT_EQ(descriptor.inputs.empty() && !descriptor.takes_any_input, is_source)
        << descriptor.type;
    for (const ConfigField& field : descriptor.config) EXPECT_FALSE(field.about.empty());
  }
}

}  // namespace
}  // namespace millrace::graph
