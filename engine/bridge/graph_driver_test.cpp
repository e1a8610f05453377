#include "bridge/graph_driver.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "bridge/graph_tables.h"
#include "plan/registry/registry.h"

namespace millrace::bridge {
namespace {

TEST(GraphDriverTest, S59_ProbingTellsWhetherTheGraphRuns) {
  const plan::EndpointInfo endpoint{
      .name = "g", .kind = plan::EndpointKind::kGraph, .tables = {"alpha"}};
  const std::string root;
  const GraphTables tables("trending", {"alpha"});
  std::optional<std::string> failure;
  GraphDriver driver(&tables, [&failure] { return failure; });
  EXPECT_EQ(driver.endpoint_kind(), plan::EndpointKind::kGraph);
  EXPECT_EQ(*driver.probe({.endpoint = endpoint, .root = root}), "tables of the graph trending");
  failure = "component 'x' failed: no";
  EXPECT_EQ(driver.probe({.endpoint = endpoint, .root = root}).error().message(), *failure);
  GraphDriver without(nullptr);
  EXPECT_EQ(without.probe({.endpoint = endpoint, .root = root}).error().message(),
            "no graph runs in this process; start it with --graph FILE");
}

TEST(GraphDriverTest, G70_ATableThatTheGraphDoesNotWriteIsAnError) {
  const plan::EndpointInfo endpoint{
      .name = "g", .kind = plan::EndpointKind::kGraph, .tables = {"alpha", "bteta"}};
  const std::string root;
  const GraphTables tables("trending", {"alpha", "beta"});
  GraphDriver driver(&tables);
  EXPECT_EQ(
      driver.probe({.endpoint = endpoint, .root = root}).error().message(),
      "Endpoint 'g': no component of the graph 'trending' writes the state table 'bteta'; did "
      "you mean 'beta'?");
}

}  // namespace
}  // namespace millrace::bridge
