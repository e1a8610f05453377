#include "graph/body/component.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph/payload.h"
#include "graph/run/run_fixture.h"

namespace millrace::graph {
namespace {

TEST(Component, FindsPortsAndHasHarmlessDefaults) {
  const std::vector<std::string> outputs = {"x", "y"};
  const Payload config;
  const ComponentSetup setup{
      .id = "c", .config = config, .graph_config = config, .outputs = outputs, .inputs = {}};
  EXPECT_EQ(setup.find_output("y"), 1U);
  EXPECT_EQ(setup.find_output("z"), std::nullopt);
  EXPECT_EQ(setup.find_input("x"), std::nullopt);
  FunctionComponent component([](const Invocation&, GraphContext&) -> base::Status { return {}; });
  EXPECT_TRUE(component.configure(setup));
  EXPECT_TRUE(component.activate());
  EXPECT_TRUE(component.reset());
  EXPECT_TRUE(component.deactivate());
  EXPECT_EQ(component.snapshot().value(), std::nullopt);
  EXPECT_FALSE(component.check_update(config));
}

}  // namespace
}  // namespace millrace::graph
