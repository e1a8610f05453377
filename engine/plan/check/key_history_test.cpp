#include "plan/check/key_history.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

class KeyHistoryTest : public PlanFixture {
 protected:
  KeyHistoryTest() {
    plan_ = compile(
        artifact(
            std::string(kViewer) + "," + std::string(kFollow) +
                R"(, {"id": "s", "op": "vm", "inputs": ["f"], "params": {"out_key": "score", "expr": "1.0"}},
                         {"id": "t", "op": "take", "inputs": ["s"], "params": {"count": 3}})",
            R"("t")"),
        CompileOptions::without_passes());
    for (NodeColumns& columns : analysis_.columns_of(*plan_))
      columns_.push_back(std::move(columns));
  }
  ColumnAnalysis analysis_{registry_};
  CompiledPlanRef plan_;
  ColumnsByNode columns_;
};

TEST_F(KeyHistoryTest, FindsTheNodeWhereAKeyWasLost) {
  const KeyHistory history(*plan_, columns_);
  EXPECT_EQ(history.find_loss(3, analysis_.index_of("name")), 1U);
  EXPECT_EQ(history.find_loss(3, analysis_.index_of("author_name")), std::nullopt);
}

TEST_F(KeyHistoryTest, FindsTheWriterBehindNodesThatPassAKeyOn) {
  const KeyHistory history(*plan_, columns_);
  EXPECT_EQ(history.writer_of(3, analysis_.index_of("score")), 2U);
  EXPECT_EQ(history.writer_of(3, analysis_.index_of("parent_id")), 1U);
  EXPECT_EQ(history.name_of(1), "'f' (follow)");
}

}  // namespace
}  // namespace millrace::plan
