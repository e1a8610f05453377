#include "plan/registry/registry.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

TEST(RegistryTest, REG5_BuiltInKeysAreAlwaysThere) {
  const Registry registry({}, {}, {});
  ASSERT_NE(registry.find_key("id"), nullptr);
  EXPECT_FALSE(registry.find_key("id")->nullable);
  EXPECT_FALSE(registry.find_key("id")->allow_write);
  EXPECT_EQ(registry.find_key("parent_id")->type, rows::ColumnType::kInt64);
  EXPECT_EQ(registry.find_key("source")->type, rows::ColumnType::kString);
  EXPECT_TRUE(is_built_in_key("source"));
  EXPECT_FALSE(is_built_in_key("score"));
}

TEST(RegistryTest, FindsByName) {
  const Registry registry = sample_registry();
  EXPECT_EQ(registry.find_key("score")->type, rows::ColumnType::kFloat64);
  EXPECT_EQ(registry.find_key("scor"), nullptr);
  EXPECT_EQ(registry.find_param("weight")->name, "weight");
  EXPECT_EQ(registry.find_param("zzz"), nullptr);
  EXPECT_EQ(registry.endpoint(*registry.find_endpoint("web")).port, 80);
  EXPECT_EQ(registry.find_endpoint("wex"), std::nullopt);
}

TEST(RegistryTest, EnvironmentsHaveNames) {
  for (const Environment environment :
       {Environment::kDev, Environment::kTest, Environment::kProd}) {
    EXPECT_EQ(find_environment(to_string(environment)), environment);
  }
  EXPECT_EQ(find_environment("production"), std::nullopt);
  EXPECT_EQ(to_string(EndpointKind::kHttp), "http");
  EXPECT_EQ(to_string(Lifecycle::kBlocked), "blocked");
}

TEST(RegistryTest, ART3_RequestFieldsAreThoseOfEveryRequestThenParamsThenKeys) {
  const Registry registry = sample_registry();
  EXPECT_EQ(find_request_field(registry, "user_id"), rows::ColumnType::kInt64);
  EXPECT_EQ(find_request_field(registry, "request_id"), rows::ColumnType::kString);
  EXPECT_EQ(find_request_field(registry, "weight"), rows::ColumnType::kFloat64);
  EXPECT_EQ(find_request_field(registry, "country"), rows::ColumnType::kString);
  EXPECT_EQ(find_request_field(registry, "nothing"), std::nullopt);
  EXPECT_THAT(request_field_names(registry), testing::Contains("deadline_ms"));
}

}  // namespace
}  // namespace millrace::plan
