#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using ColumnsPassTest = PlanFixture;

std::vector<std::string> fetched(const CompiledNode& node) {
  std::vector<std::string> names;
  for (const FetchedKey& key : node.fetched_keys) names.push_back(key.key);
  return names;
}

std::string fan_out() {
  return R"({"id": "v", "op": "viewer", "params": {"endpoint": "redis_default"}},
            {"id": "f", "op": "follow", "inputs": ["v"], "params": {"endpoint": "redis_default"}},
            {"id": "h", "op": "hydrate", "inputs": ["f"], "params": {"endpoint": "redis_default"}},
            {"id": "k", "op": "filter", "inputs": ["h"], "params": {"pred": "likes > 3"}})";
}

TEST_F(ColumnsPassTest, CMP2_OnlyColumnsThatAreReadAreFetched) {
  const auto plan = compile(artifact(fan_out(), R"("k")", R"(, "output_keys": ["id", "name"])"));
  EXPECT_THAT(fetched(node(*plan, "v")), IsEmpty());
  EXPECT_THAT(fetched(node(*plan, "h")), ElementsAre("likes", "name"));
  EXPECT_THAT(node(*plan, "k").columns, ElementsAre("id", "likes", "name", "parent_id"));
  EXPECT_THAT(
      notes(*plan, "columns"),
      ElementsAre("v fetches 0 of the 6 keys it could", "h fetches 2 of the 7 keys it could"));
}

constexpr std::string_view kCarrying =
    R"(, {"id": "f", "op": "follow", "inputs": ["v"],
          "params": {"endpoint": "redis_default", "carry": {"country": "country", "author_name": "name"}}},
         {"id": "k", "op": "filter", "inputs": ["f"], "params": {"pred": "country == 'DE'"}})";

TEST_F(ColumnsPassTest, E1_TSK5_AFanOutTakesAlongWhatItNamesAndSomethingReads) {
  const auto plan = compile(artifact(std::string(kViewer) + std::string(kCarrying),
                                     R"("k")",
                                     R"(, "output_keys": ["id", "parent_id"])"));
  EXPECT_THAT(fetched(node(*plan, "v")), ElementsAre("country"));
  EXPECT_THAT(node(*plan, "f").taken_columns,
              ElementsAre(KeyMove{.to = "country", .from = "country"}));
  EXPECT_THAT(node(*plan, "f").columns, ElementsAre("id", "country", "parent_id"));
  const auto all = compile(artifact(std::string(kViewer) + std::string(kCarrying), R"("k")"),
                           {.prune_columns = false});
  EXPECT_EQ(node(*all, "f").taken_columns.size(), 2U);
  EXPECT_THAT(node(*all, "f").columns, ElementsAre("id", "author_name", "country", "parent_id"));
}

TEST_F(ColumnsPassTest, E5_AJoinTakesWhatIsReadUnderItsNewName) {
  const std::string nodes =
      R"({"id": "a", "op": "fixed_source"},
         {"id": "b", "op": "fixed_source", "params": {"row_count": 2}},
         {"id": "h", "op": "hydrate", "inputs": ["b"], "params": {"endpoint": "redis_default", "keys": ["name", "likes"]}},
         {"id": "j", "op": "join", "inputs": ["a"], "params": {"rhs": "h", "columns": {"author_name": "name", "likes": "likes"}}})";
  const auto plan = compile(artifact(nodes, R"("j")", R"(, "output_keys": ["author_name"])"));
  EXPECT_THAT(fetched(node(*plan, "h")), ElementsAre("name"));
  EXPECT_THAT(node(*plan, "j").taken_columns,
              ElementsAre(KeyMove{.to = "author_name", .from = "name"}));
  EXPECT_THAT(node(*plan, "j").columns, ElementsAre("id", "author_name"));
}

TEST_F(ColumnsPassTest, CMP4_WithoutPruningEverythingIsFetchedAndKept) {
  const auto plan = compile(artifact(std::string(kViewer) + "," + std::string(kFollow), R"("f")"),
                            {.prune_columns = false});
  EXPECT_EQ(node(*plan, "v").fetched_keys.size(), 6U);
  EXPECT_THAT(node(*plan, "f").taken_columns, IsEmpty());
  EXPECT_THAT(notes(*plan, "columns"), IsEmpty());
}

TEST_F(ColumnsPassTest, ListedKeysLimitWhatIsFetched) {
  const auto plan = compile(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "h", "op": "hydrate", "inputs": ["s"],
          "params": {"endpoint": "redis_default", "keys": ["name", "likes"]}})",
      R"("h")",
      R"(, "output_keys": ["likes"])"));
  EXPECT_THAT(fetched(node(*plan, "h")), ElementsAre("likes"));
  EXPECT_TRUE(problems(artifact(R"({"id": "s", "op": "fixed_source"},
         {"id": "h", "op": "hydrate", "inputs": ["s"],
          "params": {"endpoint": "redis_default", "keys": ["name"]}})",
                                R"("h")",
                                R"(, "output_keys": ["likes"])"))
                  .has(ProblemCode::kKeyNotAvailable));
}

TEST_F(ColumnsPassTest, AFallbackSuppliesWhatIsReadOfTheNodeItStandsInFor) {
  const auto plan = compile(artifact(
      R"({"id": "w", "op": "fixed_source"},
         {"id": "b", "op": "hydrate", "inputs": ["w"], "params": {"endpoint": "redis_default", "prefix": "b"}},
         {"id": "h", "op": "hydrate", "inputs": ["w"], "params": {"endpoint": "redis_default"},
          "on_failure": {"use": "node", "id": "b"}})",
      R"("h")",
      R"(, "output_keys": ["likes"])"));
  EXPECT_THAT(fetched(node(*plan, "b")), ElementsAre("likes"));
  EXPECT_THAT(fetched(node(*plan, "h")), ElementsAre("likes"));
}

}  // namespace
}  // namespace millrace::plan
