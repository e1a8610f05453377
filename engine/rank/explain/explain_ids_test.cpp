#include "rank/explain/explain_ids.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/explain/explain_fixture.h"

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
  EXPECT_THAT(told, HasSubstr(R"("paths":[{"verdict":"dropped","via":["s","a"],"by":"predicate")"));
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
              HasSubstr(R"("by":"dedupe","node":"d","op":"dedupe","rank":4,"kept_instead":2,)"
                        R"("values":{"score":0})"));
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
  EXPECT_THAT(told,
              HasSubstr(R"("by":"match","node":"out","op":"join","kind":"anti","rhs":"r",)"
                        R"("values":{"id":1})"));
  EXPECT_THAT(told,
              HasSubstr(R"("by":"no_match","node":"in","op":"join","kind":"semi","rhs":"r",)"
                        R"("values":{"id":3})"));
  EXPECT_THAT(told,
              HasSubstr(R"({"verdict":"used","via":["r","in"],"node":"in","op":"join",)"
                        R"("as":"lookup",)"));
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
                        R"("op":"sleep","values":{},)"));
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

TEST(ExplainIdsTest, EXPL4_AnIdOfTheAnswerIsServedHoweverManyPathsEndElsewhere) {
  // The first 40 paths of the id end in filters; the last one is served.
  std::string nodes = R"([{"id": "s", "op": "fixed_source", "params": {"row_count": 1}})";
  std::string inputs;
  for (int branch = 0; branch < 40; ++branch) {
    nodes += R"(, {"id": "f)" + std::to_string(branch) +
             R"(", "op": "filter", "inputs": ["s"], "params": {"pred": "id > 5"}})";
    inputs += "\"f" + std::to_string(branch) + "\", ";
  }
  ExplainEngine engine;
  engine.load(nodes + R"(, {"id": "c", "op": "concat", "inputs": [)" + inputs + R"("s"]}])",
              R"(["c"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [1]}})");
  EXPECT_THAT(told, HasSubstr(R"({"id":1,"verdict":"served")"));
  EXPECT_THAT(told, HasSubstr(R"({"verdict":"served","via":["s","c"],"rank":1)"));
  EXPECT_THAT(told, HasSubstr(R"("more_paths":true)"));
}

TEST(ExplainIdsTest, OneRowThatCameTwiceIsCutOnce) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "params": {"row_count": 1}},
    {"id": "a", "op": "filter", "inputs": ["s"], "params": {"pred": "id > 0"}},
    {"id": "b", "op": "filter", "inputs": ["s"], "params": {"pred": "id < 9"}},
    {"id": "w", "op": "interleave", "inputs": ["a", "b"], "params": {"pattern": "ba"}},
    {"id": "t", "op": "take", "inputs": ["w"], "params": {"count": 1}}])",
              R"(["t"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [1]}})");
  EXPECT_THAT(told, HasSubstr(R"({"verdict":"cut","via":["s","a","w","t"],"by":"take")"));
  EXPECT_THAT(told, HasSubstr(R"({"verdict":"served","via":["s","b","w","t"],"rank":1)"));
}

TEST(ExplainIdsTest, APredicateThatOverflowsIsARowError) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "params": {"row_count": 2}},
    {"id": "f", "op": "filter", "inputs": ["s"],
     "params": {"pred": "id * 9223372036854775807 > 0"}}])",
              R"(["f"])");
  EXPECT_THAT(engine.explain(R"({"user_id": 1, "explain": {"ids": [2]}})"),
              HasSubstr(R"("by":"row_error","node":"f","op":"filter")"));
}

TEST(ExplainIdsTest, ADuplicateOfARowThatWasFilteredSaysFiltered) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "params": {"row_count": 3}},
    {"id": "c", "op": "concat", "inputs": ["s", "s"]},
    {"id": "d", "op": "dedupe", "inputs": ["c"], "params": {"by": "id"}},
    {"id": "f", "op": "filter", "inputs": ["d"], "params": {"pred": "id > 2"}}])",
              R"(["f"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [1]}})");
  EXPECT_THAT(
      told,
      HasSubstr(R"json({"id":1,"verdict":"dropped","sentence":"dropped by `f` (filter): )json"
                R"json(id 1 is not > 2")json"));
  EXPECT_THAT(told, HasSubstr("it keeps one row with id 1, and kept the first one"));
}

TEST(ExplainIdsTest, WhatANodeFetchedForNothingIsUnused) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "params": {"row_count": 3}},
    {"id": "dead", "op": "fixed_source", "params": {"row_count": 9}}])",
              R"(["s"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [1, 7]}})");
  EXPECT_THAT(told, HasSubstr(R"({"id":1,"verdict":"served")"));
  EXPECT_THAT(
      told,
      HasSubstr(R"json({"id":7,"verdict":"unused","sentence":"unused: `dead` )json"
                R"json((fixed_source) gave it, but no output needs the rows of `dead`")json"));
}

TEST(ExplainIdsTest, EXPL7_ANodeThatNothingNeedsFailsNoExplainedRequest) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "params": {"row_count": 3}},
    {"id": "w", "op": "sleep", "inputs": ["s"], "params": {"duration_ms": 0, "fail_after_sleep": true}},
    {"id": "dead", "op": "aggregate", "inputs": ["w"], "params": {"by": "id"}}])",
              R"(["s"])");
  const std::string response = engine.ask(R"({"user_id": 1, "explain": {"ids": [1]}})");
  EXPECT_THAT(response, HasSubstr(R"("degraded":{"is":false)"));
  EXPECT_THAT(response, HasSubstr(R"({"id":1,"verdict":"served")"));
}

TEST(ExplainIdsTest, DiversifyByWindowsHasNoCount) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "params": {"row_count": 3}},
    {"id": "v", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "1.0"}},
    {"id": "d", "op": "diversify", "inputs": ["v"], "params": {"by": "score", "when_stuck": "drop"}}])",
              R"(["d"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [2]}})");
  EXPECT_THAT(told, HasSubstr(R"("by":"diversify","node":"d","op":"diversify","rank":2,"values")"));
  EXPECT_THAT(told, HasSubstr("at most 1 with the same score among 2, and this row has score 1"));
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
