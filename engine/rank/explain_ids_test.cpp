#include "rank/explain_ids.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/explain_fixture.h"

namespace millrace::rank {
namespace {

using testing::ExplainEngine;
using ::testing::HasSubstr;

TEST(ExplainIdsTest, EXPL4_EachBranchIsAPath) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 9}},
    {"id": "a", "op": "filter", "inputs": ["s"], "params": {"pred": "id <= 4"}},
    {"id": "b", "op": "filter", "inputs": ["s"], "params": {"pred": "id >= 4"}},
    {"id": "c", "op": "concat", "inputs": ["a", "b"], "params": {}}])",
              R"(["c"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [4, 5]}})");
  EXPECT_THAT(told, HasSubstr(R"("via":["s","a","c"],"rank":4)"));
  EXPECT_THAT(told, HasSubstr(R"("via":["s","b","c"],"rank":5)"));
  EXPECT_THAT(told, HasSubstr(R"({"id":5,"verdict":"served","paths":[{"verdict":"dropped")"));
  EXPECT_THAT(told, HasSubstr(R"("via":["s","b","c"],"rank":6)"));
}

TEST(ExplainIdsTest, NodesThatCountCutWithTheKeysTheyRead) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 6}},
    {"id": "v", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "id % 2"}},
    {"id": "g", "op": "group_limit", "inputs": ["v"], "params": {"by": "score", "count": 2}},
    {"id": "d", "op": "dedupe", "inputs": ["g"], "params": {"by": "score"}}])",
              R"(["d"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [6, 4, 2]}})");
  EXPECT_THAT(told,
              HasSubstr(R"("by":"group_limit","node":"g","op":"group_limit","rank":6,"count":2,)"
                        R"("values":{"score":0})"));
  EXPECT_THAT(told,
              HasSubstr(R"("by":"dedupe","node":"d","op":"dedupe","rank":4,"values":{"score":0})"));
  EXPECT_THAT(told, HasSubstr(R"({"id":2,"verdict":"served")"));
}

TEST(ExplainIdsTest, JoinsDropByMatchAndUseTheirOtherSide) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 4}},
    {"id": "r", "op": "fixed_source", "inputs": [], "params": {"row_count": 2}},
    {"id": "in", "op": "join", "inputs": ["s"], "params": {"rhs": "r", "kind": "semi"}},
    {"id": "out", "op": "join", "inputs": ["s"], "params": {"rhs": "r", "kind": "anti"}}])",
              R"(["in", "out"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [1, 3]}})");
  EXPECT_THAT(told, HasSubstr(R"("by":"match","node":"out","op":"join","values":{"id":1})"));
  EXPECT_THAT(told, HasSubstr(R"("by":"no_match","node":"in","op":"join","values":{"id":3})"));
  EXPECT_THAT(told,
              HasSubstr(R"({"verdict":"used","via":["r","in"],"node":"in","op":"join",)"
                        R"("as":"lookup"})"));
}

TEST(ExplainIdsTest, EXPL5_AFallbackThatTookThePlaceOfANodeIsNamed) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 2}},
    {"id": "e", "op": "sleep", "inputs": ["s"], "params": {"duration_ms": 1, "fail_after_sleep": true},
     "on_failure": {"use": "empty"}},
    {"id": "i", "op": "sleep", "inputs": ["s"], "params": {"duration_ms": 1, "fail_after_sleep": true},
     "on_failure": {"use": "input"}}])",
              R"(["e", "i"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [2]}})");
  EXPECT_THAT(told,
              HasSubstr(R"({"verdict":"dropped","via":["s","e"],"by":"fallback","node":"e",)"
                        R"("op":"sleep","values":{}})"));
  EXPECT_THAT(told, HasSubstr(R"({"verdict":"served","via":["s","i"],"rank":2,"output":"i")"));
}

TEST(ExplainIdsTest, RowsOfANodeThatStandsInGoOnAsThoseOfTheOther) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 2}},
    {"id": "b", "op": "fixed_source", "inputs": [], "params": {"row_count": 5}},
    {"id": "e", "op": "sleep", "inputs": ["s"], "params": {"duration_ms": 1, "fail_after_sleep": true},
     "on_failure": {"use": "node", "id": "b"}},
    {"id": "t", "op": "take", "inputs": ["e"], "params": {"count": 4}}])",
              R"(["t"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [2, 5, 9]}})");
  EXPECT_THAT(told, HasSubstr(R"({"verdict":"dropped","via":["s","e"],"by":"fallback")"));
  EXPECT_THAT(told, HasSubstr(R"({"verdict":"served","via":["b","e","t"],"rank":2)"));
  EXPECT_THAT(told, HasSubstr(R"({"verdict":"cut","via":["b","e","t"],"by":"take")"));
  EXPECT_THAT(told, HasSubstr(R"({"node":"b","op":"fixed_source","rows":5})"));
}

TEST(ExplainIdsTest, ARowErrorThatDropsShowsWhatTheExpressionRead) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 2}},
    {"id": "v", "op": "vm", "inputs": ["s"], "on_row_error": "drop",
     "params": {"out_key": "score", "expr": "id * 9223372036854775807"}}])",
              R"(["v"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [1, 2]}})");
  EXPECT_THAT(told, HasSubstr(R"({"id":1,"verdict":"served")"));
  EXPECT_THAT(told,
              HasSubstr(R"("by":"row_error","node":"v","op":"vm",)"
                        R"("expr":"id * 9223372036854775807","values":{"id":2})"));
}

TEST(ExplainIdsTest, RowsOfRequestFieldsEnterAtTheirNode) {
  ExplainEngine engine;
  engine.load(R"([{"id": "f", "op": "filter", "inputs": ["$req.user_id"],
                   "params": {"pred": "id > 5"}}])",
              R"(["f"])");
  EXPECT_THAT(
      engine.explain(R"({"user_id": 4, "explain": {"ids": [4]}})"),
      HasSubstr(R"({"verdict":"dropped","from":"$req.user_id","via":["f"],"by":"predicate")"));
  EXPECT_THAT(engine.explain(R"({"user_id": 4, "explain": {"ids": [7]}})"),
              HasSubstr(R"("absent_from":[{"node":"f","op":"filter","input":"$req.user_id"}])"));
}

TEST(ExplainIdsTest, ARequestFieldThatAFallbackPassedThroughIsServed) {
  ExplainEngine engine;
  engine.load(R"([{"id": "w", "op": "sleep", "inputs": ["$req.user_id"],
                   "params": {"duration_ms": 1, "fail_after_sleep": true},
                   "on_failure": {"use": "input"}}])",
              R"(["w"])");
  EXPECT_THAT(engine.explain(R"({"user_id": 4, "explain": {"ids": [4]}})"),
              HasSubstr(R"({"verdict":"served","via":["w"],"rank":1)"));
}

TEST(ExplainIdsTest, EXPL4_PathsAreBounded) {
  // Every stage doubles the ways of a row: 2^7 of them.
  std::string nodes =
      R"([{"id": "n0", "op": "fixed_source", "inputs": [], "params": {"row_count": 1}})";
  for (int stage = 1; stage <= 7; ++stage) {
    const std::string before = "\"n" + std::to_string(stage - 1) + "\"";
    nodes += R"(, {"id": "n)" + std::to_string(stage) + R"(", "op": "concat", "inputs": [)" +
             before + ", " + before + R"(], "params": {}})";
  }
  ExplainEngine engine;
  engine.load(nodes + "]", R"(["n7"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [1]}})");
  EXPECT_THAT(told, HasSubstr(R"("more_paths":true)"));
  std::size_t paths = 0;
  for (std::size_t at = told.find("\"via\""); at != std::string::npos;
       at = told.find("\"via\"", at + 1))
    ++paths;
  EXPECT_EQ(paths, kPathsMax);
}

}  // namespace
}  // namespace millrace::rank
