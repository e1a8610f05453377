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

TEST_F(ColumnsTest, AnOfferFlowsDownUntilSomebodyWritesTheKey) {
  const auto plan = compile(artifact(
      std::string(kViewer) + "," + std::string(kFollow) +
          R"(, {"id": "s", "op": "vm", "inputs": ["f"], "params": {"out_key": "score", "expr": "1.0"}})",
      R"("s")"));
  const std::vector<NodeColumns> columns = analysis_.columns_of(*plan);
  EXPECT_TRUE(has(columns[0].offered, "score"));
  EXPECT_TRUE(has(columns[1].offered, "score"));
  EXPECT_TRUE(has(columns[1].present, "parent_id"));
  EXPECT_TRUE(has(columns[2].present, "score"));
  EXPECT_FALSE(has(columns[2].offered, "score"));
  EXPECT_FALSE(has(columns[0].offered, "secret"));
  EXPECT_FALSE(has(columns[0].offered, "parent_id"));
}

TEST_F(ColumnsTest, TheNearestTaskThatOffersAKeySuppliesIt) {
  const auto plan = compile(
      artifact(std::string(kViewer) + "," + std::string(kFollow) +
                   R"(, {"id": "k", "op": "filter", "inputs": ["f"], "params": {"pred": "age > 1"}},
             {"id": "h", "op": "hydrate", "inputs": ["k"], "params": {"endpoint": "redis_default"}})",
               R"("h")",
               R"(, "output_keys": ["age"])"));
  const std::vector<NodeNeeds> needs = analysis_.needs_of(*plan, analysis_.columns_of(*plan));
  EXPECT_TRUE(has(needs[0].fetched, "age"));  // for the filter
  EXPECT_TRUE(has(needs[3].fetched, "age"));  // for the answer
}

TEST_F(ColumnsTest, AKeyThatTheInputHasIsNotFetchedAgain) {
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

}  // namespace
}  // namespace millrace::plan
