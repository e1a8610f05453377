#include "rank/explain/row_flow.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rows/concat.h"
#include "rows/interleave.h"
#include "rows/join.h"
#include "rows/row_scratch.h"
#include "rows/select.h"
#include "rows/table_fixture.h"

namespace millrace::rank {
namespace {

using rows::ColumnType;
using rows::RowSet;
using rows::testing::Row;
using rows::testing::Table;
using rows::testing::to_rows;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One node, its inputs and what it gave.
struct OneNode {
  OneNode(plan::TaskSpec task_spec, std::vector<RowSet> in, RowSet out)
      : spec(std::move(task_spec)), inputs(std::move(in)), output(std::move(out)) {
    plan.nodes.emplace_back().task = &spec;
    run.plan = &plan;
    run.rows = {&output};
    run.stood_in = {false};
    for (const RowSet& input : inputs) run.inputs.resize(1), run.inputs[0].push_back(&input);
  }

  plan::TaskSpec spec;
  std::vector<RowSet> inputs;
  RowSet output;
  plan::CompiledPlan plan;
  RunRows run;
};

class RowFlowTest : public ::testing::Test {
 protected:
  RowSet make(std::vector<std::pair<std::int64_t, std::int64_t>> cells) {
    Table table{
        .names = {"id", "group"}, .types = {ColumnType::kInt64, ColumnType::kInt64}, .rows = {}};
    for (const auto& [id, group] : cells) table.rows.push_back(Row{{id}, {group}});
    return to_rows(table, scratch_);
  }

  rows::RowScratch scratch_{0};
};

TEST_F(RowFlowTest, TellsRowsOfOneIdApartByTheirPlaceInTheBatch) {
  const RowSet from = make({{7, 1}, {7, 2}, {7, 3}});
  const OneNode node({.op = "skip"}, {from}, rows::skip(from, 1).value());
  RowFlow flow(node.run);
  EXPECT_THAT(flow.follow(0, 0, 0), IsEmpty());
  EXPECT_THAT(flow.follow(0, 0, 1), ElementsAre(0));
  EXPECT_THAT(flow.follow(0, 0, 2), ElementsAre(1));
}

TEST_F(RowFlowTest, FindsRowsOfEveryInputOfAConcatAlsoWhenTheyShareABatch) {
  const RowSet from = make({{1, 1}, {2, 2}});
  const std::vector<RowSet> inputs{from, from};
  const OneNode node({.op = "concat", .columns = plan::OutputColumns::kUnion},
                     inputs,
                     rows::concat(inputs, {}, scratch_).value());
  RowFlow flow(node.run);
  EXPECT_THAT(flow.follow(0, 0, 1), ElementsAre(1));
  EXPECT_THAT(flow.follow(0, 1, 0), ElementsAre(2));
}

TEST_F(RowFlowTest, FindsWovenRowsWithAndWithoutASharedBatch) {
  const RowSet left = make({{1, 1}, {2, 2}, {3, 3}});
  for (const RowSet& right : {make({{2, 9}, {4, 4}}), left.window(1, 2)}) {
    const std::vector<RowSet> inputs{left, right};
    const OneNode node({.op = "interleave", .columns = plan::OutputColumns::kUnion},
                       inputs,
                       rows::interleave_pattern(inputs, "ab", scratch_).value());
    RowFlow flow(node.run);
    for (std::size_t input = 0; input < 2; ++input) {
      for (std::size_t position = 0; position < inputs[input].size(); ++position) {
        const auto found = flow.follow(0, input, position);
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(node.output.batch()->ids()[node.output.row_at(found[0])],
                  inputs[input].batch()->ids()[inputs[input].row_at(position)]);
      }
    }
    EXPECT_NE(flow.follow(0, 0, 1), flow.follow(0, 1, 0));
  }
}

TEST_F(RowFlowTest, TellsRowsByTheirValuesWhenAJoinCopiesThem) {
  const RowSet left = make({{1, 5}, {1, 6}, {1, 7}});
  Table table{
      .names = {"id", "key"}, .types = {ColumnType::kInt64, ColumnType::kInt64}, .rows = {}};
  table.rows = {Row{{std::int64_t{8}}, {std::int64_t{5}}},
                Row{{std::int64_t{9}}, {std::int64_t{5}}},
                Row{{std::int64_t{10}}, {std::int64_t{7}}}};
  const RowSet right = to_rows(table, scratch_);
  const std::vector<rows::JoinKey> keys{{.left = "group", .right = "key"}};
  const std::vector<rows::JoinColumn> taken{{.name = "id", .new_name = "right_id"}};
  const OneNode node(
      {.op = "join", .columns = plan::OutputColumns::kJoin},
      {left, right},
      rows::join(left, right, {.keys = keys, .right_columns = taken}, scratch_).value());
  RowFlow flow(node.run);
  EXPECT_THAT(flow.follow(0, 0, 0), ElementsAre(0, 1));
  EXPECT_THAT(flow.follow(0, 0, 1), IsEmpty());
  EXPECT_THAT(flow.follow(0, 0, 2), ElementsAre(2));
}

TEST_F(RowFlowTest, RowsThatAreEqualInEverythingShareWhatACopyGave) {
  const RowSet from = make({{1, 5}, {1, 5}});
  const OneNode node({.op = "copy"}, {from}, make({{1, 5}, {1, 5}, {1, 5}, {1, 5}}));
  RowFlow flow(node.run);
  EXPECT_THAT(flow.follow(0, 0, 0), ElementsAre(0, 1));
  EXPECT_THAT(flow.follow(0, 0, 1), ElementsAre(2, 3));
}

TEST_F(RowFlowTest, RolesFollowFromTheShapeOfATask) {
  const auto role = [](plan::TaskSpec spec, std::size_t input) {
    plan::CompiledNode node;
    node.task = &spec;
    return role_of(node, input);
  };
  EXPECT_EQ(role({.op = "filter"}, 0), InputRole::kRows);
  EXPECT_EQ(role({.op = "follow", .columns = plan::OutputColumns::kFanOut}, 0),
            InputRole::kParents);
  EXPECT_EQ(role({.op = "aggregate", .columns = plan::OutputColumns::kGroups}, 0),
            InputRole::kLookup);
  EXPECT_EQ(role({.op = "concat", .columns = plan::OutputColumns::kUnion}, 1), InputRole::kRows);
  EXPECT_EQ(role({.op = "join", .columns = plan::OutputColumns::kUnion}, 0), InputRole::kRows);
  EXPECT_EQ(role({.op = "join", .columns = plan::OutputColumns::kUnion}, 1), InputRole::kLookup);
}

}  // namespace
}  // namespace millrace::rank
