#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/compiled_expr.h"
#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using FiltersPassTest = PlanFixture;

std::string filters(std::string_view first,
                    std::string_view second,
                    std::string_view first_more = "",
                    std::string_view second_more = "") {
  return base::format(
      R"({{"id": "v", "op": "viewer", "params": {{"endpoint": "redis_default"}}}},
         {{"id": "a", "op": "filter", "inputs": ["v"], "params": {{"pred": "{}"}}{}}},
         {{"id": "b", "op": "filter", "inputs": ["a"], "params": {{"pred": "{}"}}{}}})",
      first,
      first_more,
      second,
      second_more);
}

TEST_F(FiltersPassTest, CMP2_AdjacentFiltersBecomeOne) {
  const auto plan = compile(
      artifact(filters("age > $min_age or likes > 1", "country == viewer.country"), R"("b")"));
  EXPECT_THAT(ids(*plan), ElementsAre("v", "b"));
  EXPECT_THAT(notes(*plan, "filters"), ElementsAre("a and b are one filter"));
  EXPECT_THAT(node(*plan, "b").source_ids, ElementsAre("a", "b"));
  EXPECT_EQ(std::get<expr::CompiledExprRef>(node(*plan, "b").param("pred"))->text(),
            "(age > $min_age or likes > 1) and (country == viewer.country)");
  EXPECT_EQ(plan->params.size(), 1U);
  EXPECT_EQ(plan->viewer_fields.size(), 1U);
}

TEST_F(FiltersPassTest, ThreeFiltersBecomeOne) {
  const auto plan = compile(artifact(
      filters("age > 1", "likes > 1") +
          R"(, {"id": "c", "op": "filter", "inputs": ["b"], "params": {"pred": "likes > 2"}})",
      R"("c")"));
  EXPECT_THAT(ids(*plan), ElementsAre("v", "c"));
  EXPECT_THAT(node(*plan, "c").source_ids, ElementsAre("a", "b", "c"));
}

TEST_F(FiltersPassTest, TheSecondMustNotHaveRowErrorsOfItsOwn) {
  // It would see rows that the first one drops.
  EXPECT_THAT(notes(*compile(artifact(filters("age > 1", "age * age > 5"), R"("b")")), "filters"),
              IsEmpty());
  EXPECT_THAT(notes(*compile(artifact(filters("age * age > 1", "age > 5"), R"("b")")), "filters"),
              ElementsAre("a and b are one filter"));
}

TEST_F(FiltersPassTest, EXP7_RowErrorRulesMustBeEqual) {
  EXPECT_THAT(notes(*compile(artifact(filters("age > 1", "age > 5", R"(, "on_row_error": "drop")"),
                                      R"("b")")),
                    "filters"),
              IsEmpty());
}

TEST_F(FiltersPassTest, CMP3_LeavesOutputsSharedNodesAndSettingsAlone) {
  EXPECT_THAT(notes(*compile(artifact(filters("age > 1", "age > 5"), R"("a", "b")")), "filters"),
              IsEmpty());
  EXPECT_THAT(
      notes(*compile(artifact(filters("age > 1", "age > 5", "", R"(, "timeout_ms": 5)"), R"("b")")),
            "filters"),
      IsEmpty());
  EXPECT_THAT(
      notes(*compile(artifact(filters("age > 1", "age > 5", R"(, "scheduling": {"inline": true})"),
                              R"("b")")),
            "filters"),
      IsEmpty());
}

TEST_F(FiltersPassTest, CMP4_CanBeSwitchedOffAndIsOffUnderExplain) {
  const std::string bytes = artifact(filters("age > 1", "age > 5"), R"("b")");
  EXPECT_THAT(notes(*compile(bytes, {.merge_filters = false}), "filters"), IsEmpty());
  EXPECT_THAT(notes(*compile(bytes, {.for_explain = true}), "filters"), IsEmpty());
}

}  // namespace
}  // namespace millrace::plan
