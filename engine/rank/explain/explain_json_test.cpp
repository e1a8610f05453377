#include "rank/explain/explain_json.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rows/row_scratch.h"
#include "rows/table_fixture.h"

namespace millrace::rank {
namespace {

using rows::ColumnType;
using rows::testing::Row;
using rows::testing::Table;

TEST(ExplainJsonTest, REQ4_IdsMayBeStringsAndMissingValuesAreNull) {
  rows::RowScratch scratch(0);
  const rows::RowSet rows = rows::testing::to_rows(
      Table{.names = {"id", "parent_id", "score"},
            .types = {ColumnType::kInt64, ColumnType::kInt64, ColumnType::kFloat64},
            .rows = {Row{{std::int64_t{77}}, {std::int64_t{5}}, rows::testing::kNull}}},
      scratch);
  const plan::TaskSpec spec{.op = "source", .rows = plan::OutputRows::kSource};
  plan::CompiledPlan plan;
  plan.nodes.emplace_back().id = "n";
  plan.nodes[0].task = &spec;
  plan.nodes[0].columns = {"id", "parent_id", "score"};
  plan.outputs = {0};
  const RunRows run{.plan = &plan, .rows = {&rows}, .inputs = {{}}, .stood_in = {false}};
  Request request;
  request.explain_ids = {77};
  const ExplainSource source{.run = run, .request = request};
  std::string out;
  base::JsonWriter json(out);
  write_explanation(json, source, explain_ids(source), /*ids_as_strings=*/true);
  EXPECT_EQ(
      out,
      R"([{"id":"77","verdict":"served",)"
      R"json("sentence":"served: 1st of 1 candidate, from output `n` (source)","paths":[{"verdict":"served","parent_id":"5",)json"
      R"("via":["n"],"rank":1,"output":"n","fields":{"parent_id":5,"score":null},)"
      R"json("sentence":"served: 1st of 1 candidate, from output `n` (source)"}]}])json");
}

TEST(ExplainJsonTest, EveryVerdictHasItsName) {
  EXPECT_EQ(to_string(Verdict::kServed), "served");
  EXPECT_EQ(to_string(Verdict::kCut), "cut");
  EXPECT_EQ(to_string(Verdict::kDropped), "dropped");
  EXPECT_EQ(to_string(Verdict::kUsed), "used");
  EXPECT_EQ(to_string(Verdict::kUnused), "unused");
  EXPECT_EQ(to_string(Verdict::kNeverFetched), "never_fetched");
}

}  // namespace
}  // namespace millrace::rank
