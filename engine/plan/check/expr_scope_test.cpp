#include "plan/check/expr_scope.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

TEST(PlanScopeTest, EXP3_KnowsKeysParamsRequestAndViewerFields) {
  const Registry registry = sample_registry();
  ExternalNames externals;
  const PlanScope scope(registry, nullptr, externals);
  using enum expr::NameSource;
  EXPECT_FALSE(scope.find_name(kKey, "id")->nullable);
  EXPECT_TRUE(scope.find_name(kKey, "score")->nullable);
  EXPECT_TRUE(scope.find_name(kParam, "weight")->nullable);
  EXPECT_FALSE(scope.find_name(kParam, "min_age")->nullable);
  EXPECT_EQ(scope.find_name(kParam, "min_age")->index, 1U);
  EXPECT_EQ(scope.find_name(kParam, "weight")->index, 0U);
  EXPECT_EQ(scope.find_name(kRequest, "user_id")->type, rows::ColumnType::kInt64);
  EXPECT_EQ(scope.find_name(kViewer, "country")->type, rows::ColumnType::kString);
  EXPECT_EQ(externals.params.size(), 2U);
  EXPECT_EQ(externals.request_fields.size(), 1U);
  EXPECT_EQ(externals.viewer_fields.size(), 1U);
  EXPECT_TRUE(scope.problems().empty());
  EXPECT_THAT(scope.names(kRequest), testing::Contains("seed"));
  EXPECT_THAT(scope.names(kParam), testing::ElementsAre("min_age", "weight"));
}

TEST(PlanScopeTest, SuggestsNoNamesForProblemsThatAreOnlyCounted) {
  const Registry registry = sample_registry();
  ExternalNames externals;
  PlanScope scope(registry, nullptr, externals);
  scope.suggest_no_names();
  using enum expr::NameSource;
  for (const expr::NameSource source : {kKey, kParam, kRequest, kViewer}) {
    EXPECT_TRUE(scope.names(source).empty());
  }
  EXPECT_TRUE(scope.find_name(kKey, "score"));
}

TEST(PlanScopeTest, TakesDownNamesThatMayNotBeUsedOnceEach) {
  const Registry registry = sample_registry();
  const KeySet none(registry.keys().size());
  ExternalNames externals;
  const PlanScope scope(registry, &none, externals);
  using enum expr::NameSource;
  EXPECT_FALSE(scope.find_name(kKey, "nope"));
  EXPECT_FALSE(scope.find_name(kKey, "nope"));
  EXPECT_TRUE(scope.find_name(kKey, "score"));
  EXPECT_TRUE(scope.find_name(kViewer, "secret"));
  EXPECT_FALSE(scope.find_name(kParam, "nope"));
  EXPECT_FALSE(scope.find_name(kRequest, "nope"));
  std::vector<ProblemCode> codes;
  for (const NameProblem& problem : scope.problems()) codes.push_back(problem.code);
  EXPECT_THAT(codes,
              testing::ElementsAre(ProblemCode::kUnknownKey,
                                   ProblemCode::kKeyNotAvailable,
                                   ProblemCode::kBlockedKey,
                                   ProblemCode::kUnknownName,
                                   ProblemCode::kUnknownRequestField));
  EXPECT_TRUE(scope.names(kKey).empty());
}

}  // namespace
}  // namespace millrace::plan
