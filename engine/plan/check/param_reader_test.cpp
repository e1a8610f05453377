#include "plan/check/param_reader.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;

using ParamReaderTest = PlanFixture;

TEST_F(ParamReaderTest, TSK1_ParamsGetTheTypesOfTheirSpecAndDefaults) {
  const auto plan = compile(artifact(std::string(kViewer) +
                                         R"(, {"id": "t", "op": "interleave", "inputs": ["v"],
              "params": {"weights": [1, 2.5], "pattern": [0, 1], "labels": ["a"], "strict": true}})",
                                     R"("t")"));
  ASSERT_NE(plan, nullptr);
  const CompiledNode& t = node(*plan, "t");
  EXPECT_THAT(std::get<std::vector<double>>(t.param("weights")), ElementsAre(1.0, 2.5));
  EXPECT_THAT(std::get<std::vector<std::int64_t>>(t.param("pattern")), ElementsAre(0, 1));
  EXPECT_THAT(std::get<std::vector<std::string>>(t.param("labels")), ElementsAre("a"));
  EXPECT_TRUE(std::get<bool>(t.param("strict")));
  EXPECT_EQ(std::get<double>(t.param("share")), 0.5);
  const CompiledNode& v = node(*plan, "v");
  EXPECT_EQ(registry_.endpoint(std::get<EndpointId>(v.param("endpoint"))).name, "redis_default");
  EXPECT_EQ(std::get<std::string>(v.param("pattern")), "user:{user_id}");
}

TEST_F(ParamReaderTest, ART4_ANodeParamBecomesAnInputAfterThePositionalOnes) {
  const auto plan = compile(artifact(
      R"({"id": "a", "op": "fixed_source"}, {"id": "b", "op": "fixed_source", "params": {"row_count": 2}},
         {"id": "c", "op": "concat", "inputs": ["a"], "params": {"rhs": "b"}})",
      R"("c")"));
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(std::get<InputIndex>(node(*plan, "c").param("rhs")).index, 1U);
  EXPECT_EQ(std::get<NodeInput>(node(*plan, "c").inputs.at(1)).node, 1U);
}

TEST_F(ParamReaderTest, AnOptionalParamWithoutDefaultIsNothing) {
  const auto plan = compile(
      artifact(R"({"id": "a", "op": "fixed_source"}, {"id": "c", "op": "concat", "inputs": ["a"]})",
               R"("c")"));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(node(*plan, "c").param("rhs")));
}

TEST(BlockedEndpointTest, REG6_ABlockedEndpointIsRefused) {
  const Registry registry(
      {},
      {},
      {{.name = "e", .data_file = "x", .lifecycle = Lifecycle::kBlocked, .replaced_by = "f"},
       {.name = "f", .data_file = "x"}});
  const StubCatalog catalog = sample_catalog();
  const auto plan = compile_plan(
      R"({"schema_version": 1, "name": "p", "outputs": ["v"],
          "nodes": [{"id": "v", "op": "viewer", "params": {"endpoint": "e"}}]})",
      registry,
      catalog);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().problems()[0].code, ProblemCode::kBlockedKey);
  EXPECT_EQ(plan.error().problems()[0].hint, "use 'f' instead");
}

}  // namespace
}  // namespace millrace::plan
