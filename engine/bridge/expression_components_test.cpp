#include "bridge/expression_components.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bridge/bridge_fixture.h"
#include "bridge/bridge_registry.h"
#include "graph/compile/component_registry.h"

namespace millrace::bridge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const graph::ComponentRegistry& types() {
  static const graph::ComponentRegistry registry = bridge_registry();
  return registry;
}

/// Three orders through one component.
std::string orders_through(const std::string& component) {
  return graph_text(
      {"id: s, type: core.values, config: {values: [{price: 2, n: 3}, {price: 0.5, n: 4}, {n: 1}], "
       "timestamps_ms: [10, 20, 30]}",
       "id: x, " + component + ", trigger_policy: {type: any_input}",
       "id: o, type: core.output, trigger_policy: {type: any_input}"},
      {"id: sx, kind: immediate, from: s.out, to: x.in",
       "id: xo, kind: immediate, from: x.out, to: o.in"});
}

TEST(ExpressionComponents, G67_MapPublishesWhatTheExpressionGives) {
  EXPECT_THAT(
      values(run_graph(orders_through("type: core.map, config: {expr: price * n}"), types())),
      ElementsAre("6", "2", "null"));
  EXPECT_THAT(
      values(run_graph(orders_through("type: core.map, config: {expr: 'coalesce(price, 1.0) * n', "
                                      "into: total}"),
                       types())),
      ElementsAre(R"({"price":2,"n":3,"total":6})",
                  R"({"price":0.5,"n":4,"total":2})",
                  R"({"n":1,"total":1})"));
}

TEST(ExpressionComponents, G67_FilterKeepsWhatIsTrue) {
  EXPECT_THAT(
      values(run_graph(orders_through("type: core.filter, config: {pred: price > 1}"), types())),
      ElementsAre(R"({"price":2,"n":3})"))
      << "null is not true";
}

TEST(ExpressionComponents, AValueThatCannotBeComputedIsAnErrorOfTheInvocation) {
  const auto result = run_graph(
      orders_through("type: core.map, config: {expr: 'n * 2305843009213693952'}"), types());
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().component, "x");
  EXPECT_THAT(result.errors.front().message, HasSubstr(R"((message {"price":0.5,"n":4}))"));
}

TEST(ExpressionComponents, G7_MistakesInExpressionsHaveCodeAndPlace) {
  const std::string report =
      report_of(orders_through("type: core.map, config: {expr: 'price *'}"), types());
  EXPECT_THAT(report, HasSubstr("graph:7:"));
  EXPECT_THAT(report, HasSubstr("error: bad_config: "));
  EXPECT_THAT(report_of(orders_through("type: core.filter"), types()),
              HasSubstr("'core.filter' needs config 'pred'"));
  EXPECT_THAT(report_of(orders_through("type: core.filter, config: {pred: $x > 1}"), types()),
              HasSubstr("Graphs have no params"));
}

}  // namespace
}  // namespace millrace::bridge
