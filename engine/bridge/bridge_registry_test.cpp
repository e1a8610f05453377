#include "bridge/bridge_registry.h"

#include <gtest/gtest.h>

#include "graph/compile/component_registry.h"

namespace millrace::bridge {
namespace {

TEST(BridgeRegistry, HasTheBuiltInTypesAndItsOwn) {
  const graph::ComponentRegistry registry = bridge_registry();
  for (const char* type : {"core.counter",
                           "core.map",
                           "core.filter",
                           "redis.stream_in",
                           "redis.stream_out",
                           "http.poll"}) {
    EXPECT_NE(registry.find(type), nullptr) << type;
    EXPECT_NE(registry.make(type), nullptr) << type;
  }
}

}  // namespace
}  // namespace millrace::bridge
