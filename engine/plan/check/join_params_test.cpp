#include "plan/check/join_params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/catalog_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;

CompiledNode join_node(const StubCatalog& catalog) {
  CompiledNode node;
  node.task = catalog.find_task("join");
  node.inputs = {NodeInput{.node = 0}, NodeInput{.node = 1}};
  for (const ParamSpec& param : node.task->params) node.params.push_back(param.fallback);
  node.params[0] = InputIndex{.index = 1};
  return node;
}

TEST(JoinParamsTest, DefaultsAreTheSameKeysAndAllColumns) {
  const StubCatalog catalog = sample_catalog();
  const CompiledNode node = join_node(catalog);
  const JoinParams join(node);
  EXPECT_EQ(join.rhs_input(), 1U);
  EXPECT_THAT(join.by(), ElementsAre("id"));
  EXPECT_THAT(join.rhs_by(), ElementsAre("id"));
  EXPECT_EQ(join.columns(), nullptr);
  EXPECT_TRUE(join.takes_columns());
}

TEST(JoinParamsTest, ReadsWhatIsGiven) {
  const StubCatalog catalog = sample_catalog();
  CompiledNode node = join_node(catalog);
  node.params[2] = std::vector<std::string>{"age"};
  node.params[3] = std::string("anti");
  node.params[4] = std::vector<KeyMove>{{.to = "name", .from = "name"}};
  const JoinParams join(node);
  EXPECT_THAT(join.rhs_by(), ElementsAre("age"));
  EXPECT_FALSE(join.takes_columns());
  EXPECT_EQ(join.columns()->size(), 1U);
  node.params[0] = std::monostate();
  EXPECT_EQ(JoinParams(node).rhs_input(), 2U);
}

}  // namespace
}  // namespace millrace::plan
