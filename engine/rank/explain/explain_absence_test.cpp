#include "rank/explain/explain_absence.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "rank/explain/explain_json.h"
#include "rows/row_scratch.h"
#include "rows/table_fixture.h"

namespace millrace::rank {
namespace {

using rows::ColumnType;
using rows::testing::Row;
using rows::testing::Table;
using ::testing::HasSubstr;

// A fan-out of `parents` that gave nothing, and an id that is nowhere.
std::string explain_absence(std::int64_t parents, std::string pattern = "media:{id}:new") {
  rows::RowScratch scratch(0);
  Table table{.names = {"id"}, .types = {ColumnType::kInt64}, .rows = {}};
  for (std::int64_t parent = 1; parent <= parents; ++parent) table.rows.push_back(Row{{parent}});
  const rows::RowSet input = rows::testing::to_rows(table, scratch);
  table.rows.clear();
  const rows::RowSet output = rows::testing::to_rows(table, scratch);
  plan::TaskSpec spec{.op = "media",
                      .params = {{.name = "pattern", .type = plan::ParamType::kKeyPattern},
                                 {.name = "fanout", .type = plan::ParamType::kInt}},
                      .columns = plan::OutputColumns::kFanOut};
  plan::CompiledPlan plan;
  plan::CompiledNode& node = plan.nodes.emplace_back();
  node.id = "m";
  node.task = &spec;
  node.inputs = {plan::ConstantInput{}};
  node.params = {std::move(pattern), std::int64_t{25}};
  plan.outputs = {0};
  const RunRows run{.plan = &plan, .rows = {&output}, .inputs = {{&input}}, .stood_in = {false}};
  Request request;
  request.explain_ids = {77};
  const ExplainSource source{.run = run, .request = request};
  std::string out;
  base::JsonWriter json(out);
  write_explanation(json, source, explain_ids(source), /*ids_as_strings=*/false);
  return out;
}

TEST(ExplainAbsenceTest, EXPL6_AnAbsentIdNamesTheListsThatWereRead) {
  EXPECT_EQ(explain_absence(2),
            R"([{"id":77,"verdict":"never_fetched",)"
            R"("sentence":"never fetched: no row of `m` (media) has this id",)"
            R"("paths":[],"absent_from":[)"
            R"({"node":"m","op":"media","rows":0,"fanout":25,)"
            R"("lists":["media:1:new","media:2:new"],"list_count":2}]}])");
}

TEST(ExplainAbsenceTest, EXPL6_TSK4_APatternMayHaveSeveralNamesOrNone) {
  EXPECT_THAT(explain_absence(1, "a:{id}:b:{id}"), HasSubstr(R"("lists":["a:1:b:1"],)"));
  EXPECT_THAT(explain_absence(1, "trending"), HasSubstr(R"("lists":["trending"],)"));
}

TEST(ExplainAbsenceTest, EXPL6_ManyListsAreCountedAndTheFirstNamed) {
  const std::string out = explain_absence(500);
  EXPECT_THAT(out, HasSubstr(R"("media:10:new"],"list_count":500)"));
}

TEST(ExplainAbsenceTest, InputsThatAreNoNodesHaveNames) {
  plan::CompiledNode node;
  node.inputs = {plan::RequestInput{.field = "user_id"}, plan::ConstantInput{}};
  EXPECT_EQ(outside_name(node, 0), "$req.user_id");
  EXPECT_EQ(outside_name(node, 1), "constant");
}

}  // namespace
}  // namespace millrace::rank
