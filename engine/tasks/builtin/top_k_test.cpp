#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/param_value.h"
#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

TEST(TopKTest, CMP2_GivesWhatSortAndTakeGive) {
  TaskRig rig;
  const std::vector<plan::OrderKey> order{{.key = "score", .descending = true}};
  const rows::RowSet input = rig.scored({{3, 1.0}, {1, 2.0}, {2, 3.0}, {4, 2.0}});
  const auto sorted = rig.run({.op = "sort", .params = {{"by", order}}, .inputs = {input}});
  const auto taken =
      rig.run({.op = "take", .params = {{"count", num(3)}}, .inputs = {sorted.value()}});
  const auto top =
      rig.run({.op = "top_k", .params = {{"order", order}, {"count", num(3)}}, .inputs = {input}});
  EXPECT_EQ(ids_of(top.value()), ids_of(taken.value()));
  EXPECT_THAT(ids_of(top.value()), ElementsAre(2, 1, 4));
}

}  // namespace
}  // namespace millrace::tasks::testing
