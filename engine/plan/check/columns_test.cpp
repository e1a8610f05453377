#include "plan/check/columns.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

class ColumnsTest : public PlanFixture {
 protected:
  [[nodiscard]] bool has(const KeySet& keys, std::string_view key) const {
    return keys.contains(analysis_.index_of(key));
  }
  ColumnAnalysis analysis_{registry_};
};

TEST_F(ColumnsTest, AnOfferFlowsDownUntilTheEntityChanges) {
  const auto plan = compile(artifact(
      std::string(kViewer) +
          R"(, {"id": "t", "op": "take", "inputs": ["v"], "params": {"count": 1}}, )" +
          R"({"id": "f", "op": "follow", "inputs": ["t"], "params": {"endpoint": "redis_default"}})",
      R"("f")"));
  const std::vector<NodeColumns> columns = analysis_.columns_of(*plan);
  EXPECT_TRUE(has(columns[0].offered, "name"));
  EXPECT_TRUE(has(columns[1].offered, "name"));
  EXPECT_FALSE(columns[2].has(analysis_.index_of("name")));
  EXPECT_TRUE(has(columns[2].present, "parent_id"));
  EXPECT_FALSE(has(columns[0].offered, "secret"));
  EXPECT_FALSE(has(columns[0].offered, "parent_id"));
  EXPECT_FALSE(has(columns[0].offered, "score")) << "plans write it, so nobody fetches it unasked";
}

TEST_F(ColumnsTest, E1_AFanOutWithoutInputsHasNoParents) {
  const auto plan = compile(artifact(
      R"({"id": "a", "op": "list", "params": {"endpoint": "redis_default", "pattern": "trending"}},
         {"id": "b", "op": "list", "inputs": ["a"],
          "params": {"endpoint": "redis_default", "pattern": "x:{id}:{id}"}})",
      R"("b")"));
  const std::vector<NodeColumns> columns = analysis_.columns_of(*plan);
  EXPECT_FALSE(columns[0].has(analysis_.index_of("parent_id")));
  EXPECT_TRUE(has(columns[1].present, "parent_id"));
}

TEST_F(ColumnsTest, TSK4_EveryNameOfAPatternIsRead) {
  const auto plan = compile(artifact(std::string(kViewer) +
                                         R"(, {"id": "f", "op": "list", "inputs": ["v"],
               "params": {"endpoint": "redis_default", "pattern": "x:{country}:{name}"}})",
                                     R"("f")"));
  const std::vector<NodeNeeds> needs = analysis_.needs_of(*plan, analysis_.columns_of(*plan));
  EXPECT_TRUE(has(needs[0].fetched, "country"));
  EXPECT_TRUE(has(needs[0].fetched, "name"));
  EXPECT_FALSE(has(needs[0].fetched, "age"));
}

TEST_F(ColumnsTest, E3_TheNearestTaskThatOffersAKeySuppliesItWhateverTheRowsHave) {
  const auto plan = compile(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "a", "op": "hydrate", "inputs": ["s"], "params": {"endpoint": "redis_default", "keys": ["age"]}},
         {"id": "k", "op": "filter", "inputs": ["a"], "params": {"pred": "age > 1"}},
         {"id": "h", "op": "hydrate", "inputs": ["k"], "params": {"endpoint": "redis_default"}})",
      R"("h")",
      R"(, "output_keys": ["age"])"));
  const std::vector<NodeNeeds> needs = analysis_.needs_of(*plan, analysis_.columns_of(*plan));
  EXPECT_TRUE(has(needs[1].fetched, "age"));  // for the filter
  EXPECT_TRUE(has(needs[3].fetched, "age"));  // for the answer
}

TEST_F(ColumnsTest, E3_AHydrateLeavesKeysThatPlansWriteAlone) {
  const auto plan = compile(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "a", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "1.0"}},
         {"id": "h", "op": "hydrate", "inputs": ["a"], "params": {"endpoint": "redis_default"}})",
      R"("h")",
      R"(, "output_keys": ["score", "likes"])"));
  const std::vector<NodeNeeds> needs = analysis_.needs_of(*plan, analysis_.columns_of(*plan));
  EXPECT_FALSE(has(needs[2].fetched, "score"));
  EXPECT_TRUE(has(needs[2].fetched, "likes"));
  EXPECT_TRUE(has(needs[1].needed, "score"));
}

TEST_F(ColumnsTest, E4_AHashSuppliesOnlyKeysThatAreOfItsPrefix) {
  const auto plan = compile(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "u", "op": "hydrate", "inputs": ["s"], "params": {"endpoint": "redis_default", "prefix": "user"}},
         {"id": "i", "op": "hydrate", "inputs": ["s"], "params": {"endpoint": "redis_default", "prefix": "item"}})",
      R"("u", "i")"));
  const std::vector<NodeColumns> columns = analysis_.columns_of(*plan);
  EXPECT_FALSE(has(columns[1].offered, "created_at"));
  EXPECT_TRUE(has(columns[1].offered, "name"));
  EXPECT_TRUE(has(columns[2].offered, "created_at"));
}

TEST_F(ColumnsTest, E6_WhatOnlySomeInputsOfAConcatHaveIsPartial) {
  const auto plan = compile(artifact(
                                R"({"id": "s", "op": "fixed_source"},
         {"id": "a", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "1.0"}},
         {"id": "c", "op": "concat", "inputs": ["a", "s"]},
         {"id": "d", "op": "vm", "inputs": ["c"], "params": {"out_key": "score", "expr": "2.0"}})",
                                R"("d")"),
                            CompileOptions::without_passes());
  const std::vector<NodeColumns> columns = analysis_.columns_of(*plan);
  EXPECT_TRUE(has(columns[2].partial, "score"));
  EXPECT_FALSE(has(columns[2].partial, "id"));
  EXPECT_FALSE(has(columns[3].partial, "score"));
}

constexpr const char* kGrouped =
    R"({"id": "s", "op": "fixed_source"},
       {"id": "h", "op": "hydrate", "inputs": ["s"], "params": {"endpoint": "redis_default"}},
       {"id": "g", "op": "aggregate", "inputs": ["h"], "params": {"by": ["id", "country"],
        "count": {"rank": "age"}, "mean": {"boost": "likes"}, "first": ["name"]}})";

TEST_F(ColumnsTest, E1_RowsOfGroupsHaveTheirKeysAndWhatIsComputedAndNothingElse) {
  const auto plan =
      compile(artifact(kGrouped, R"("g")", R"(, "output_keys": ["country", "rank"])"));
  const std::vector<NodeColumns> columns = analysis_.columns_of(*plan);
  for (const char* key : {"id", "country", "rank", "boost", "name"}) {
    EXPECT_TRUE(has(columns[2].present, key)) << key;
  }
  for (const char* key : {"age", "likes", "parent_id", "verified"}) {
    EXPECT_FALSE(columns[2].has(analysis_.index_of(key))) << key;
  }
  // Only what is read is fetched and computed.
  const std::vector<NodeNeeds> needs = analysis_.needs_of(*plan, columns);
  for (const char* key : {"country", "age"}) EXPECT_TRUE(has(needs[1].fetched, key)) << key;
  for (const char* key : {"likes", "name"}) EXPECT_FALSE(has(needs[1].fetched, key)) << key;
  EXPECT_EQ(node(*plan, "g").columns, (std::vector<std::string>{"id", "country", "rank"}));
}

TEST_F(ColumnsTest, E2_AKeyThatWasLostInGroupsSaysTheWaysOut) {
  const ProblemReport report = problems(
      artifact(std::string(kGrouped) +
                   R"(, {"id": "o", "op": "sort", "inputs": ["g"], "params": {"key": "likes"}})",
               R"("o")"));
  ASSERT_EQ(report.problems().size(), 1U);
  EXPECT_EQ(report.problems()[0].code.text(), "key_not_available");
  EXPECT_THAT(report.problems()[0].message, ::testing::HasSubstr("lost at 'g' (aggregate)"));
  EXPECT_THAT(report.problems()[0].hint, ::testing::HasSubstr("`first: [\"likes\"]`"));
}

}  // namespace
}  // namespace millrace::plan
